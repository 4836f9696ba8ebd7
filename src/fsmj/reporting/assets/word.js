// One word: in which classes it occurs, how often, and in which documents.

const PER_CLASS = 2; // sentences
const MOST_SENTENCES = 24;
const SURE = 0.95; // of the resampled corpora
const MOST_CLASSES = 12; // of a table that leaves room for the sentences
const AROUND = 90; // letters on each side of the word

/** How often a word occurs in each class, in how many documents, and how that compares. */
function detailOf(words, index) {
  const cells = words.cells[words.rows.get(index)];
  if (!cells) return null;
  const times = words.classes.map(() => 0);
  const docs = [...times];
  for (let at = 0; at < cells.length; at += 3) {
    times[cells[at]] = cells[at + 1];
    docs[cells[at]] = cells[at + 2];
  }
  const sum = (values) => values.reduce((total, value) => total + value, 0);
  const [all, tokens] = [sum(times), sum(words.tokens_per_class)];
  const ratios = times.map((n, i) =>
    logRatio(n, words.tokens_per_class[i], all - n, tokens - words.tokens_per_class[i]),
  );
  const order = times.map((n, i) => i).sort((a, b) => ratios[b] - ratios[a]);
  return { times, docs, ratios, order };
}

/** As fsmj.evidence.log2_ratio: what is counted by what is expected, a half added to each. */
function logRatio(count, tokens, other, tokensElsewhere) {
  const rate = (count + other) / (tokens + tokensElsewhere);
  const here = (count + 0.5) / (rate * tokens + 0.5);
  return Math.log2(here) - Math.log2((other + 0.5) / (rate * tokensElsewhere + 0.5));
}

/** A column for each class: up where the word is more frequent than elsewhere, down where less. */
function bars(words, index) {
  const detail = detailOf(words, index);
  if (!detail) return "";
  const { ratios, times } = detail;
  const largest = Math.max(...ratios.map(Math.abs)) || 1;
  const column = (value, i) => `M${i + 0.1} 0v${(-value / largest).toFixed(3)}h0.8V0z`;
  const columns = (wanted) => ratios.map((v, i) => (wanted(v, i) ? column(v, i) : "")).join("");
  return drawn(
    "svg",
    {
      class: "bars",
      viewBox: `0 -1 ${ratios.length} 2`,
      preserveAspectRatio: "none",
      role: "img",
    },
    drawn("title", {}, inWords(words, detail)),
    drawn("path", { class: "for", d: columns((v) => v > 0) }),
    drawn("path", { class: "against", d: columns((v, i) => v < 0 && times[i]) }),
    drawn("path", { class: "never", d: columns((v, i) => !times[i]) }),
    drawn("path", { class: "zero", d: `M0 0H${ratios.length}` }),
  );
}

function inWords(words, { ratios, order }) {
  const named = (chosen) => chosen.map((i) => words.classes[i]).join(", ") || "none";
  const more = order.filter((i) => ratios[i] > 0).slice(0, 3);
  const less = [...order]
    .reverse()
    .filter((i) => ratios[i] < 0)
    .slice(0, 3);
  return `more in ${named(more)}; less in ${named(less)}`;
}

/** The nodes of a word's panel. */
function wordDetail({ words, samples }, index) {
  const strongest = words.classes[words.strongest[index]];
  const detail = detailOf(words, index);
  return [
    element("h3", {}, foreign(words.terms[index])),
    element(
      "p",
      { class: "quiet" },
      `Rank ${number(index + 1)} · ${words.gains ? "gain" : "score"} ${rounded(words.scores[index])} · ${shareReached(words.explained[index])} reached`,
    ),
    element(
      "p",
      { class: "quiet" },
      `${number(words.occurrences[index])} times in ${nDocs(words.documents[index])}; speaks most for `,
      foreign(strongest, { class: "strong" }),
    ),
    ...sureness(words, index),
    ...(detail ? classTable(words, detail) : []),
    ...(samples ? sentences(samples, index, detail?.order) : []),
  ];
}

const nDocs = (n) => `${number(n)} document${n === 1 ? "" : "s"}`;

function sureness({ sureness: sure, classes, strongest, n_terms: all }, index) {
  const share = sure?.share[index];
  if (share == null) return [];
  const beyond = (rank) =>
    rank > sure.n_terms ? `beyond ${number(sure.n_terms)}` : number(rank);
  const [low, high] = [sure.rank_low[index], sure.rank_high[index]].map(beyond);
  const times = (value) => number(Number((2 ** value).toPrecision(2)));
  const at = low === high ? `at rank ${low}; ` : `at rank ${low} to ${high}; `;
  const said =
    sure.n_terms < all
      ? [
          element("strong", {}, `${isSure(share) ? "Sure" : "Unsure"}: `),
          `among the first ${number(sure.n_terms)} in ${percent(share, 0)} of the resampled corpora, `,
        ]
      : ["In 90 % of the resampled corpora "]; // all words are among all of them
  return [
    element(
      "p",
      { class: isSure(share) ? "quiet" : "quiet unsure" },
      ...said,
      at,
      `${times(sure.log2_low[index])} to ${times(sure.log2_high[index])} times as frequent in `,
      foreign(classes[strongest[index]]),
      " as elsewhere.",
    ),
  ];
}

const isSure = (share) => share >= SURE;

/** All classes, those first where the word is most times as frequent as elsewhere. */
function classTable(words, detail) {
  const largest = Math.max(...detail.ratios.map(Math.abs)) || 1;
  const rows = detail.order.map((i) => {
    const [times, docs, value] = [detail.times[i], detail.docs[i], detail.ratios[i]];
    const kind = value > 0 ? "for" : times ? "against" : "never";
    const bar = element("span", { class: `bar ${kind}` });
    bar.style.width = `${(50 * Math.abs(value)) / largest}%`;
    const numbers = times
      ? [number(times), number(docs), percent(docs / words.docs_per_class[i])].map((text) =>
          element("td", {}, text),
        )
      : [element("td", { colspan: 3 }, `never, in ${nWords(words.tokens_per_class[i])}`)];
    return element(
      "tr",
      { class: kind },
      element("th", { scope: "row" }, shortened(words.classes[i])),
      element("td", { class: "track", title: ratioInWords(value) }, bar),
      ...numbers,
    );
  });
  const heads = ["class", "", "times", "docs", "share"];
  const table = element(
    "table",
    { class: "by-class" },
    element(
      "thead",
      {},
      element("tr", {}, ...heads.map((text) => element("th", { scope: "col" }, text))),
    ),
    element("tbody", {}, ...rows),
  );
  if (rows.length <= MOST_CLASSES) return [table];
  const hidden = rows.slice(MOST_CLASSES - 2);
  for (const row of hidden) row.hidden = true;
  const all = element("button", { type: "button", class: "all-classes" });
  all.textContent = `Show the other ${number(hidden.length)} classes`;
  all.addEventListener("click", () => {
    for (const row of hidden) row.hidden = false;
    all.remove();
  });
  return [table, all];
}

function ratioInWords(value) {
  const factor = 2 ** Math.abs(value);
  return factor < 1.05
    ? "as frequent as elsewhere"
    : `${rounded(factor, 2)} times as ${value > 0 ? "frequent" : "rare"} as elsewhere`;
}

/** Some sentences with the word from each class, in the order of the table above. */
function sentences({ classes, samples }, index, order) {
  const found = new Map();
  for (const sample of samples) {
    const place = sample.places.find(([, , word]) => word === index);
    if (!place) continue;
    const list = found.get(sample.label) || [];
    // Two pieces of one document may overlap.
    const near = sample.letters.slice(Math.max(0, place[0] - 30), place[1] + 30).join("");
    if (list.length < PER_CLASS && !list.some(([, , other]) => other === near))
      found.set(sample.label, [...list, [sample, place, near]]);
  }
  const shown = (order || [...found.keys()]).filter((i) => found.has(i));
  if (!shown.length)
    return [
      element(
        "p",
        { class: "quiet" },
        order
          ? "None of the documents that this page carries has it."
          : "To keep the page small, classes and sentences are shown for the first words and those of the classes.",
      ),
    ];
  return [
    element("h4", {}, "In the documents"),
    ...shown
      .flatMap((i) => found.get(i).map((at) => [i, at]))
      .slice(0, MOST_SENTENCES)
      .map(([i, [sample, place]]) =>
        element(
          "p",
          { class: "sentence", dir: "auto" },
          shortened(classes[i]),
          ...sentence(sample, place),
        ),
      ),
  ];
}

function sentence({ letters, begins, ends }, [first, last]) {
  const text = (from, to) => letters.slice(from, to).join("");
  let [from, to] = [Math.max(0, first - AROUND), Math.min(letters.length, last + AROUND)];
  while (from > 0 && from < first && letters[from - 1].trim()) from += 1;
  while (to < letters.length && to > last && letters[to].trim()) to -= 1;
  return [
    from > 0 || !begins ? "… " : "",
    text(from, first),
    element("mark", { class: "for" }, text(first, last)),
    text(last, to),
    to < letters.length || !ends ? " …" : "",
  ];
}

/** The whole sample, its leading words to be clicked. */
function wholeText({ letters, begins, ends, places }) {
  const nodes = [begins ? "" : "… "];
  let done = 0;
  for (const [first, last, word] of places) {
    if (first < done) continue;
    nodes.push(
      letters.slice(done, first).join(""),
      element(
        "span",
        { class: "known", "data-word": word, role: "button", tabindex: 0 },
        letters.slice(first, last).join(""),
      ),
    );
    done = last;
  }
  return [...nodes, letters.slice(done).join(""), ends ? "" : " …"];
}
