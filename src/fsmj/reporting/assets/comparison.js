// How methods compare: accuracy over k, each line switched on and off, and the paired tests.

const PANELS = {
  max: ["Maximum", (line) => papers(line) && ["", "max"].includes(line.aggregate)],
  sum: ["Sum", (line) => papers(line) && ["", "sum"].includes(line.aggregate)],
  average: ["Weighted average", (line) => papers(line) && ["", "average"].includes(line.aggregate)],
  few: [
    "Few words",
    (line) =>
      !line.variant &&
      (line.method === "fsmj" ||
        line.needs === "documents" ||
        line.method === "bound" ||
        (line.method === "ig" && line.aggregate === "max") ||
        (line.method === "df" && !line.rest)),
  ],
  all: ["All", () => true],
};
const FEW_WORDS = "1 to 500";
const FEW_LINES = 8; // so many can be told apart at once
const AGGREGATES = ["max", "sum", "average"];
const RANGES = {
  "100 to 2,000": [100, 2000, false],
  [FEW_WORDS]: [1, 500, true],
  all: [1, Infinity, true],
};

/** The methods of the paper: those of the table that rank counts, in their usual form. */
const papers = (line) => !line.variant && !line.rest && line.needs === "counts";

function startComparison(contests) {
  const corpus = document.getElementById("corpus");
  const range = document.getElementById("range");
  const panels = document.getElementById("panels");
  const place = document.querySelector("#comparison .compare");
  const duels = document.querySelectorAll(".duel");
  range.append(...Object.keys(RANGES).map((name) => option(name, name)));
  const showDuels = () =>
    duels.forEach((duel) => (duel.hidden = duel.dataset.corpus !== (corpus.value || "0")));

  const everyLine = contests.flatMap((contest) => contest.lines);
  const offered = Object.entries(PANELS).filter(([name, [, fits]]) =>
    everyLine.some((line) => fits(line) && (line.aggregate === name || !AGGREGATES.includes(name))),
  );
  const few = contests.every((contest) => contest.lines.length <= FEW_LINES);
  // Begin with lines among which is the best on average, of which the headline speaks.
  const best = contests[0].lines.reduce((a, b) => ((b.average ?? 0) > (a.average ?? 0) ? b : a));
  const begun = offered.find(([, [, fits]]) => fits(best)) ?? offered[0];
  let panel = few ? "all" : begun[0];
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
            if (name === "few") range.value = FEW_WORDS;
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
    showDuels();
  });
  if (contests.every((contest) => contest.ks[contest.ks.length - 1] < 100)) range.value = "all";
  else if (panel === "few") range.value = FEW_WORDS;
  show(panel);
  showDuels();
}

function methodChart(contest, chosen, [low, high, log]) {
  const kept = contest.ks
    .map((k, i) => i)
    .filter((i) => contest.ks[i] >= low && contest.ks[i] <= high);
  const ks = kept.map((i) => contest.ks[i]);
  const lines = contest.lines.map((line) => ({
    ...line,
    on: chosen.includes(line),
    values: kept.map((at) => line.accuracy[at]),
    colour: line.colour,
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
    `Lines, and their average at the numbers of words that all have, up to ${number(contest.up_to)}`,
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
