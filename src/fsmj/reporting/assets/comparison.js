// How methods compare: accuracy over k, each line switched on and off, and the paired tests.

/** The methods of the paper: those of the table that rank counts, in their usual form. */
const papers = (line) => !line.variant && !line.rest && line.needs === "counts";
const byClass = (aggregate) => (line) => papers(line) && ["", aggregate].includes(line.aggregate);
const AGGREGATES = ["max", "sum", "average"];
const PANELS = {
  max: ["Maximum", byClass("max")],
  sum: ["Sum", byClass("sum")],
  average: ["Weighted average", byClass("average")],
  few: [
    "Few words",
    (line) =>
      !line.variant &&
      (["fsmj", "bound"].includes(line.method) ||
        line.needs === "documents" ||
        (line.method === "ig" && line.aggregate === "max") ||
        (line.method === "df" && !line.rest)),
  ],
  all: ["All", () => true],
};
const FEW_WORDS = "1 to 500";
const FEW_LINES = 8; // so many can be told apart at once
const RANGES = {
  "100 to 2,000": [100, 2000, false],
  [FEW_WORDS]: [1, 500, true],
  all: [1, Infinity, true],
};

function startComparison(contests) {
  const corpus = document.getElementById("corpus");
  const range = document.getElementById("range");
  const panels = document.getElementById("panels");
  const place = document.querySelector("#comparison .compare");
  const everyLine = contests.flatMap((contest) => contest.lines);
  const offered = Object.keys(PANELS).filter((name) =>
    everyLine.some(
      (line) =>
        PANELS[name][1](line) && (line.aggregate === name || !AGGREGATES.includes(name)),
    ),
  );
  // Begin with lines among which is the best on average, of which the headline speaks.
  const best = contests[0].lines.reduce((a, b) => ((b.average ?? 0) > (a.average ?? 0) ? b : a));
  const few = contests.every((contest) => contest.lines.length <= FEW_LINES);
  let panel = few ? "all" : (offered.find((name) => PANELS[name][1](best)) ?? offered[0]);
  const show = () => {
    for (const button of panels.children) button.ariaPressed = button.value === panel;
    const contest = contests[corpus.value || 0];
    const chosen = contest.lines.filter(PANELS[panel][1]);
    place.replaceChildren(
      ...methodChart(contest, chosen.length ? chosen : contest.lines, RANGES[range.value]),
    );
    for (const duel of document.querySelectorAll(".duel"))
      duel.hidden = duel.dataset.corpus !== (corpus.value || "0");
  };
  const choose = (name) => {
    panel = name;
    if (name === "few") range.value = FEW_WORDS;
    show();
  };
  for (const value of offered)
    panels.append(element("button", { value, onclick: () => choose(value) }, PANELS[value][0]));
  range.append(...Object.keys(RANGES).map((name) => element("option", name)));
  range.onchange = corpus.onchange = show;
  if (contests.every((contest) => contest.ks.at(-1) < 100)) range.value = "all";
  // The headline speaks of these sizes, as far as all methods rank.
  else if (contests.every((contest) => contest.up_to <= 500)) range.value = FEW_WORDS;
  show();
}

/** A method has its sign; its dashes say how scores are put together, its variant, and the rest. */
const dashesOf = ({ aggregate, rest, variant, method }) =>
  DASHES[
    ({ sum: 1, average: 2 }[aggregate] || 0) +
      (rest ? 3 : 0) +
      ({ prior: 1, smoothed: 2, complement: 4, printed: 3 }[variant] || 0) +
      (method.startsWith("sklearn") ? 5 : 0)
  ];

function methodChart(contest, chosen, [low, high, log]) {
  const kept = [...contest.ks.keys()].filter((i) => contest.ks[i] >= low && contest.ks[i] <= high);
  const ks = kept.map((i) => contest.ks[i]);
  const lines = contest.lines.map((line) => ({
    ...line,
    on: chosen.includes(line),
    values: kept.map((at) => line.accuracy[at]),
    width: line.method === "fsmj" && !line.variant ? 3 : 1.75,
    dash: dashesOf(line),
  }));
  const chart = element("div");
  const draw = () => {
    const on = lines.filter((line) => line.on && line.values.some(known));
    if (!on.length) {
      const why = ks.length
        ? "No line is switched on that was measured here."
        : "Nothing was measured in this range.";
      chart.replaceChildren(element("p.note", why));
      return;
    }
    const { range, below } = rangeOf(on, log ? 0.3 : 0.05);
    const drawing = lineChart({
      title: `Accuracy on ${number(contest.n_test)} test documents of ${contest.problem}`,
      ks,
      lines: on,
      log,
      height: 400,
      range,
      yFormat: (value, step) => value.toFixed(decimals(step)),
      readout: (i) => standing(on, ks[i], i),
    });
    const named = foreign(below.map((line) => line.label).join("; "));
    const left = element("p.note", "Below the range, in whole or in part: ", named, ".");
    chart.replaceChildren(drawing, ...(below.length ? [left] : []));
  };
  const switches = lines.map((line) => {
    const box = element("input", { type: "checkbox" });
    box.checked = line.on;
    box.onchange = () => {
      line.on = box.checked;
      draw();
    };
    const mean = line.average == null ? "" : element("span.value", line.average.toFixed(3));
    return element("label.switch", box, stroke(line), foreign(line.label), mean);
  });
  draw();
  const upTo = `up to ${number(contest.up_to)}`;
  const head = `Lines, and their average at the numbers of words that all have, ${upTo}`;
  const legend = element("legend.hidden", "Lines");
  return [chart, element("fieldset.switches", legend, element("p.quiet", head), ...switches)];
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
  const range = [Math.max(0, low - room), Math.min(1.002, high + room)];
  const below = ({ values }) => values.some((value) => known(value) && value < range[0]);
  return { range, below: lines.filter(below) };
}

const known = (value) => value != null;
const meanOf = ({ values }) =>
  values.filter(known).reduce((sum, value) => sum + value, 0) / values.filter(known).length;

function standing(lines, k, index) {
  const best = lines
    .filter((line) => known(line.values[index]))
    .sort((a, b) => b.values[index] - a.values[index])
    .slice(0, 8);
  return [
    element("strong", nWords(k)),
    ": ",
    ...best.flatMap((line, i) => {
      const reached = ` ${line.values[index].toFixed(3)}`;
      return [i ? " · " : "", stroke(line), " ", foreign(line.label), reached];
    }),
  ];
}
