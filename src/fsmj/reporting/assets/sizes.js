// How many words are enough.

function startSizes({ divergence, accuracy }) {
  const place = document.getElementById("size-charts");
  place.append(divergenceChart(divergence));
  if (accuracy.length) place.append(accuracyChart(accuracy, divergence));
}

function divergenceChart({ ks, explained, terms, milestones }) {
  return lineChart({
    title: "Share of the divergence reached",
    ks,
    marks: milestones.map(({ share, k }) => ({ k, text: `${percent(share, 0)}: ${number(k)}` })),
    range: [0, 1.005],
    lines: [{ values: explained, colour: "for" }],
    readout: (i) => [
      element("strong", nWords(ks[i])),
      `: ${shareReached(explained[i])} reached; the last is `,
      element("bdi.term", terms[i]),
    ],
  });
}

function accuracyChart(curves, divergence) {
  const ks = [...new Set(curves.flatMap((curve) => curve.ks))].sort((a, b) => a - b);
  // Two curves may differ in a point or two, where each marks its best: the value before goes on.
  const at = (curve, field) => {
    const known = new Map(curve.ks.map((k, i) => [k, curve[field][i]]));
    let last = curve[field][0];
    return ks.map((k) => (last = known.get(k) ?? last));
  };
  const term = new Map(divergence.ks.map((k, i) => [k, divergence.terms[i]]));
  const lines = curves.map((curve, i) => ({
    label: curve.label,
    values: at(curve, "mean"),
    spread: i ? null : at(curve, "spread"),
    colour: i ? "against" : "for",
    dash: i ? [6, 3] : [],
  }));
  const [chosen] = curves;
  const marks = [{ k: chosen.enough, text: `enough: ${number(chosen.enough)}` }];
  if (chosen.best !== chosen.enough)
    marks.push({ k: chosen.best, text: `best: ${number(chosen.best)}` });
  const reached = ({ values, spread }, i) =>
    ` ${percent(values[i])}${spread ? ` ± ${percent(spread[i])}` : ""}`;
  const figure = lineChart({
    title: "Accuracy of naive Bayes",
    ks,
    lines,
    marks,
    readout: (i) => [
      element("strong", nWords(ks[i])),
      ": ",
      ...lines.flatMap((line, n) => [n ? " · " : "", stroke(line), reached(line, i)]),
      ...(term.has(ks[i]) ? ["; the last is ", element("bdi.term", term.get(ks[i]))] : []),
    ],
  });
  const keys = lines.map((line) => element("span", stroke(line), ` ${line.label}`));
  figure.querySelector(".chart").after(element("p.legend", ...keys));
  return figure;
}
