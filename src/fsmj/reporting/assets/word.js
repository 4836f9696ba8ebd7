// One word: in which classes it occurs, how often, and in which documents.

const PER_CLASS = 2; // sentences
const MOST_SENTENCES = 24;
const MOST_CLASSES = 12; // of a table that leaves room for the sentences
const FEW_DOCUMENTS = 10; // of a class, as in the cautions: a percentage of fewer says too much
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
  const box = { viewBox: `0 -1 ${ratios.length} 2`, preserveAspectRatio: "none", role: "img" };
  return drawn(
    "svg.bars",
    box,
    drawn("title", inWords(words, detail)),
    drawn("path.for", { d: columns((v) => v > 0) }),
    drawn("path.against", { d: columns((v, i) => v < 0 && times[i]) }),
    drawn("path.never", { d: columns((v, i) => !times[i]) }),
    drawn("path.zero", { d: `M0 0H${ratios.length}` }),
  );
}

function inWords(words, { ratios, order }) {
  const named = (chosen) =>
    chosen.slice(0, 3).map((i) => words.classes[i]).join(", ") || "none";
  const more = order.filter((i) => ratios[i] > 0);
  const less = order.filter((i) => ratios[i] < 0).reverse();
  return `more in ${named(more)}; less in ${named(less)}`;
}

/** The nodes of a word's panel. */
function wordDetail({ words, samples }, index) {
  const detail = detailOf(words, index);
  const score = `${words.gains ? "gain" : "score"} ${rounded(words.scores[index])}`;
  const reached = `${shareReached(words.explained[index])} reached`;
  const often = words.occurrences[index];
  const times = `${often === 1 ? "Once" : `${number(often)} times`} in ${nDocs(words.documents[index])}`;
  const strongest = element("bdi.strong", words.classes[words.strongest[index]]);
  return [
    element("h3", foreign(words.terms[index])),
    element("p.quiet", `Rank ${number(index + 1)} · ${score} · ${reached}`),
    element("p.quiet", `${times}; speaks most for `, strongest),
    ...sureness(words, index),
    ...(detail ? classTable(words, detail) : []),
    ...(samples ? sentences(samples, index, detail?.order) : []),
  ];
}

const nDocs = (n) => `${number(n)} document${n === 1 ? "" : "s"}`;

/** Whether a word stays among the first when documents are drawn anew. */
function sureness({ sureness: sure, classes, strongest, n_terms: all }, index) {
  if (!sure) return [];
  const first = `among the first ${number(sure.n_terms)}`;
  const said = sure.verdict[index];
  if (!said) return [element("p.quiet", `Not ${first} in any resampled corpus.`)];
  if (sure.n_terms < all && said === "no gain") {
    const why = index
      ? "The words before it leave nothing to add: any other would do."
      : "Alone it tells nothing; the words after it are measured against it.";
    return [element("p.quiet", why)];
  }
  const beyond = (rank) =>
    rank > sure.n_terms ? `beyond ${number(sure.n_terms)}` : number(rank);
  const [low, high] = [sure.rank_low[index], sure.rank_high[index]].map(beyond);
  const times = (value) => number(Number((2 ** value).toPrecision(2)));
  const at = low === high ? `at rank ${low}; ` : `at rank ${low} to ${high}; `;
  const ratio = `${times(sure.log2_low[index])} to ${times(sure.log2_high[index])} times`;
  const verdict = { sure: "Sure", unsure: "Unsure" }[said] ?? "Too few documents to tell";
  return [
    element(
      said === "unsure" ? "p.quiet.unsure" : "p.quiet",
      ...(sure.n_terms < all
        ? [
            element("strong", `${verdict}: `),
            `${first} in ${percent(sure.share[index], 0)} of the resampled corpora, `,
          ]
        : ["In 90 % of the resampled corpora "]), // all words are among all of them
      `${at}${ratio} as frequent in `,
      foreign(classes[strongest[index]]),
      " as elsewhere.",
    ),
  ];
}

/** The same in a cell: a share where it means something. */
function sureCell({ sureness: sure }, index) {
  const said = sure.verdict[index];
  if (said === "sure") return percent(sure.share[index], 0);
  if (said === "unsure") return element("span.unsure", percent(sure.share[index], 0));
  return element("span.value", { "few documents": "few docs" }[said] ?? (said || "–"));
}

/** All classes, those first where the word is most times as frequent as elsewhere. */
function classTable(words, detail) {
  const largest = Math.max(...detail.ratios.map(Math.abs)) || 1;
  const rows = detail.order.map((i) => {
    const [times, docs, value] = [detail.times[i], detail.docs[i], detail.ratios[i]];
    const kind = value > 0 ? "for" : times ? "against" : "never";
    const all = words.docs_per_class[i];
    const share = all < FEW_DOCUMENTS ? `${number(docs)} of ${number(all)}` : percent(docs / all);
    const numbers = times
      ? [number(times), number(docs), share].map((text) => element("td", text))
      : [element("td", { colspan: 3 }, `never, in ${nWords(words.tokens_per_class[i])}`)];
    return element(
      `tr.${kind}`,
      element("th", { scope: "row" }, shortened(words.classes[i])),
      element("td.track", { title: ratioInWords(value) }, lean(value / largest, kind)),
      ...numbers,
    );
  });
  const heads = ["class", "", "times", "docs", "share"].map((text) =>
    element("th", { scope: "col" }, text),
  );
  const table = element(
    "table.by-class",
    element("thead", element("tr", ...heads)),
    element("tbody", ...rows),
  );
  if (rows.length <= MOST_CLASSES) return [table];
  const others = rows.slice(MOST_CLASSES - 2);
  const show = (shown) => others.forEach((row) => (row.hidden = !shown));
  show(false);
  const all = element("button.all-classes", `Show the other ${number(others.length)} classes`);
  all.onclick = () => {
    show(true);
    all.remove();
  };
  return [table, all];
}

/** A bar to the right of the middle, or to the left where the word speaks against. */
function lean(share, kind) {
  const size = { x: Math.min(0, 50 * share), width: Math.abs(50 * share), height: 1 };
  const box = { viewBox: "-51 0 102 1", preserveAspectRatio: "none", "aria-hidden": "true" };
  return drawn("svg.lean", box, drawn(`rect.bar.${kind}`, size));
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
        "p.quiet",
        order
          ? "None of the documents that this page carries has it."
          : "To keep the page small, classes and sentences are shown for the first words and those of the classes.",
      ),
    ];
  const said = shown.flatMap((i) =>
    found
      .get(i)
      .map(([sample, place]) =>
        element("p.sentence", { dir: "auto" }, shortened(classes[i]), ...sentence(sample, place)),
      ),
  );
  return [element("h4", "In the documents"), ...said.slice(0, MOST_SENTENCES)];
}

function sentence({ letters, begins, ends }, [first, last]) {
  const text = (from, to) => letters.slice(from, to).join("");
  let [from, to] = [Math.max(0, first - AROUND), Math.min(letters.length, last + AROUND)];
  while (from > 0 && from < first && letters[from - 1].trim()) from += 1;
  while (to < letters.length && to > last && letters[to].trim()) to -= 1;
  return [
    from > 0 || !begins ? "… " : "",
    text(from, first),
    element("mark.for", text(first, last)),
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
    const attributes = { "data-word": word, role: "button", tabindex: 0 };
    nodes.push(
      letters.slice(done, first).join(""),
      element("span.known", attributes, letters.slice(first, last).join("")),
    );
    done = last;
  }
  return [...nodes, letters.slice(done).join(""), ends ? "" : " …"];
}
