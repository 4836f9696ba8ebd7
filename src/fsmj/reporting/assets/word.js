// One word: for and against which classes it speaks, in a row of bars and in detail.

const DETAIL_CLASSES = 14;

/** A column for each class: up where the word speaks for it, down where against. */
function bars(words, index) {
  const values = words.contributions[index];
  if (!values) return "";
  const largest = Math.max(...values.map(Math.abs)) || 1;
  const column = (value, i) => `M${i + 0.1} 0v${(-value / largest).toFixed(3)}h0.8V0z`;
  const columns = (wanted) => values.map((v, i) => (wanted(v) ? column(v, i) : "")).join("");
  return drawn(
    "svg",
    {
      class: "bars",
      viewBox: `0 -1 ${values.length} 2`,
      preserveAspectRatio: "none",
      role: "img",
      "aria-label": inWords(words, values),
    },
    drawn("path", { class: "for", d: columns((v) => v > 0) }),
    drawn("path", { class: "against", d: columns((v) => v < 0) }),
    drawn("path", { class: "zero", d: `M0 0H${values.length}` }),
  );
}

function inWords(words, values) {
  const order = values.map((value, i) => i).sort((a, b) => values[b] - values[a]);
  const named = (chosen) => chosen.map((i) => words.classes[i]).join(", ") || "none";
  const speaksFor = order.filter((i) => values[i] > 0).slice(0, 3);
  const against = order
    .reverse()
    .filter((i) => values[i] < 0)
    .slice(0, 3);
  return `for ${named(speaksFor)}; against ${named(against)}`;
}

function wordDetail(words, index) {
  const head = [
    element("h3", {}, foreign(words.terms[index])),
    element(
      "p",
      { class: "quiet" },
      `Rank ${number(index + 1)} · ${words.gains ? "gain" : "score"} ${rounded(words.scores[index])} · ${shareReached(words.explained[index])} reached`,
    ),
  ];
  const values = words.contributions[index];
  if (!values)
    return [
      ...head,
      element("p", {}, "Speaks most for ", foreign(words.classes[words.strongest[index]]), "."),
    ];
  const strongest = values
    .map((value, i) => i)
    .filter((i) => values[i])
    .sort((a, b) => Math.abs(values[b]) - Math.abs(values[a]));
  const shown = strongest.slice(0, DETAIL_CLASSES).sort((a, b) => values[b] - values[a]);
  const largest = Math.abs(values[strongest[0]] ?? 1);
  const rows = shown.map((i) => {
    const bar = element("span", { class: `bar ${values[i] < 0 ? "against" : "for"}` });
    bar.style.width = `${(50 * Math.abs(values[i])) / largest}%`;
    return element(
      "li",
      {},
      foreign(words.classes[i], { class: "name" }),
      element("span", { class: "track" }, bar),
      element("span", { class: "value" }, signed(values[i])),
    );
  });
  const more = strongest.length - shown.length;
  return [
    ...head,
    element("ul", { class: "diverging" }, ...rows),
    element(
      "p",
      { class: "quiet" },
      element("span", { class: "key for" }),
      " speaks for ",
      element("span", { class: "key against" }),
      " against",
      more > 0 ? ` · ${number(more)} weaker classes` : "",
    ),
  ];
}
