// How methods compare: accuracy over k, each line switched on and off, and the paired tests.

const SERIES = {
  fsmj: 0,
  df: 7,
  ig: 1,
  chi2: 2,
  rs: 3,
  cet: 5,
  ngl: 4,
  mi: 6,
  cll: 3,
  cmim: 2,
  "sklearn-chi2": 6,
  "sklearn-mutual-info": 4,
};
const PANELS = {
  max: ["Maximum", (line) => papers(line) && ["", "max"].includes(line.aggregate)],
  sum: ["Sum", (line) => papers(line) && ["", "sum"].includes(line.aggregate)],
  average: ["Weighted average", (line) => papers(line) && ["", "average"].includes(line.aggregate)],
  few: [
    "Few words",
    (line) =>
      !line.variant &&
      (["fsmj", "cll", "cmim"].includes(line.method) ||
        (line.method === "ig" && line.aggregate === "max") ||
        (line.method === "df" && !line.rest)),
  ],
  all: ["All", () => true],
};
const FEW_LINES = 8; // so many can be told apart at once
const AGGREGATES = ["max", "sum", "average"];
const RANGES = {
  "100 to 2,000": [100, 2000, false],
  "1 to 200": [1, 200, true],
  all: [1, Infinity, true],
};
const SIGNS = { ahead: "▲", behind: "▼", open: "" };

const papers = (line) =>
  !line.variant &&
  !line.rest &&
  ["fsmj", "df", "ig", "chi2", "rs", "cet", "ngl", "mi"].includes(line.method);

function comparisonSection({ contests }) {
  const corpus = element("select", {}, ...contests.map((contest, i) => option(i, contest.problem)));
  const range = element("select", {}, ...Object.keys(RANGES).map((name) => option(name, name)));
  const panels = element("div", { class: "segments", role: "group", "aria-label": "Which lines" });
  const place = element("div", { class: "compare" });
  const duels = element("div", {});
  const lead =
    "Naive Bayes on the first k words of each ranking, measured on test documents. A panel of the paper combines the scores of a word in the classes in one way; switch any line on or off.";
  const made = section(
    "comparison",
    "Compare",
    lead,
    element(
      "div",
      { class: "controls" },
      labelled("Corpus", corpus),
      labelled("Words", range),
      panels,
    ),
    place,
    duels,
  );

  const everyLine = contests.flatMap((contest) => contest.lines);
  const offered = Object.entries(PANELS).filter(([name, [, fits]]) =>
    everyLine.some((line) => fits(line) && (line.aggregate === name || !AGGREGATES.includes(name))),
  );
  const few = contests.every((contest) => contest.lines.length <= FEW_LINES);
  let panel = few ? "all" : offered[0][0];
  const show = (wanted) => {
    panel = wanted;
    for (const button of panels.children)
      button.setAttribute("aria-pressed", button.value === panel);
    const contest = contests[corpus.value || 0];
    const chosen = contest.lines.filter(PANELS[panel][1]);
    place.replaceChildren(
      ...methodChart(contest, chosen.length ? chosen : contest.lines, RANGES[range.value]),
    );
  };
  for (const [name, [title]] of offered) {
    panels.append(
      element(
        "button",
        {
          type: "button",
          value: name,
          onclick: () => {
            if (name === "few") range.value = "1 to 200";
            show(name);
          },
        },
        title,
      ),
    );
  }
  range.addEventListener("change", () => show(panel));
  corpus.addEventListener("change", () => {
    show(panel);
    duels.replaceChildren(...duelTable(contests[corpus.value]));
  });
  if (contests.every((contest) => contest.ks[contest.ks.length - 1] < 100)) range.value = "all";
  show(panel);
  duels.replaceChildren(...duelTable(contests[0]));
  return made;
}

function methodChart(contest, chosen, [low, high, log]) {
  const kept = contest.ks
    .map((k, i) => i)
    .filter((i) => contest.ks[i] >= low && contest.ks[i] <= high);
  const ks = kept.map((i) => contest.ks[i]);
  const lines = contest.lines.map((line, i) => ({
    ...line,
    on: chosen.includes(line),
    values: kept.map((at) => line.accuracy[at]),
    colour: `series-${SERIES[line.method] ?? i % 8}`,
    width: line.method === "fsmj" && !line.variant ? 3 : 1.75,
    dash: DASHES[
      ({ sum: 1, average: 2 }[line.aggregate] || 0) +
        (line.rest ? 3 : 0) +
        ({ prior: 1, smoothed: 2, complement: 4, printed: 3 }[line.variant] || 0) +
        (line.method.startsWith("sklearn") ? 5 : 0)
    ],
  }));
  const chart = element("div", {});
  const draw = () => {
    const on = lines.filter((line) => line.on && line.values.some(known));
    if (!ks.length || !on.length) {
      chart.replaceChildren(
        element(
          "p",
          { class: "note" },
          ks.length
            ? "No line is switched on that was measured here."
            : "Nothing was measured in this range.",
        ),
      );
      return;
    }
    const { range, below } = rangeOf(on, log ? 0.3 : 0.05);
    chart.replaceChildren(
      lineChart({
        title: `Accuracy on ${number(contest.n_test)} test documents of ${contest.problem}`,
        ks,
        lines: on,
        log,
        height: 400,
        range,
        yFormat: (value, step) => value.toFixed(decimals(step)),
        readout: (i) => standing(on, ks[i], i),
      }),
    );
    if (below.length)
      chart.append(
        element(
          "p",
          { class: "note" },
          "Far below the others, out of the range: ",
          foreign(below.map((line) => line.label).join("; ")),
          ".",
        ),
      );
  };
  const switches = lines.map((line) => {
    const box = element("input", {
      type: "checkbox",
      onchange: () => {
        line.on = box.checked;
        draw();
      },
    });
    box.checked = line.on;
    const mean =
      line.average == null ? "" : element("span", { class: "value" }, line.average.toFixed(3));
    return element("label", { class: "switch" }, box, stroke(line), foreign(line.label), mean);
  });
  draw();
  const head = element(
    "p",
    { class: "quiet" },
    "Lines, and their average over k = 100, 200, …, 2000",
  );
  return [
    chart,
    element(
      "fieldset",
      { class: "switches" },
      element("legend", { class: "hidden" }, "Lines"),
      head,
      ...switches,
    ),
  ];
}

/** Leave lines far below out of the range, where they would press all others together. */
function rangeOf(lines, farBelow) {
  const means = lines.map(meanOf);
  const best = Math.max(...means);
  const shown = lines
    .filter((line, i) => best - means[i] < farBelow)
    .flatMap((line) => line.values.filter(known));
  const [low, high] = [Math.min(...shown), Math.max(...shown)];
  const room = (high - low || 0.1) * 0.05;
  return {
    range: [Math.max(0, low - room), Math.min(1.002, high + room)],
    below: lines.filter((line, i) => best - means[i] >= farBelow),
  };
}

const known = (value) => value != null;
const meanOf = ({ values }) =>
  values.filter(known).reduce((sum, value) => sum + value, 0) / values.filter(known).length;

function standing(lines, k, index) {
  const best = lines
    .filter((line) => line.values[index] != null)
    .sort((a, b) => b.values[index] - a.values[index])
    .slice(0, 8);
  return [
    element("strong", {}, nWords(k)),
    ": ",
    ...best.flatMap((line, i) => [
      i ? " · " : "",
      stroke(line),
      " ",
      foreign(line.label),
      ` ${line.values[index].toFixed(3)}`,
    ]),
  ];
}

function duelTable({ compared_at, rivals, problem }) {
  if (!rivals.length) return [];
  const cell = (duel) => {
    if (!duel) return element("td", {}, "–");
    const verdict = { ahead: "FSMJ ahead", behind: "FSMJ behind", open: "open" }[duel.verdict];
    return element(
      "td",
      { class: duel.verdict, title: `${verdict}, p = ${rounded(duel.p)}` },
      `${duel.wins}:${duel.losses}`,
      element("span", { class: "sign" }, SIGNS[duel.verdict]),
    );
  };
  return [
    element("h3", {}, "FSMJ beside each, document by document"),
    element(
      "p",
      { class: "note" },
      `Test documents of ${problem} that only FSMJ classifies right, and those that only the other does. ▲ FSMJ ahead, ▼ behind, at 5 % (exact McNemar test, Holm-corrected over all comparisons on the corpus); without a sign the test leaves it open.`,
    ),
    element(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": "Paired comparisons" },
      element(
        "table",
        { class: "duels" },
        element(
          "thead",
          {},
          element(
            "tr",
            {},
            element("th", { scope: "col" }, "against"),
            ...compared_at.map((k) => element("th", { scope: "col" }, `k = ${number(k)}`)),
          ),
        ),
        element(
          "tbody",
          {},
          ...rivals.map((rival) =>
            element(
              "tr",
              {},
              element("th", { scope: "row" }, foreign(rival.label)),
              ...rival.duels.map(cell),
            ),
          ),
        ),
      ),
    ),
  ];
}
