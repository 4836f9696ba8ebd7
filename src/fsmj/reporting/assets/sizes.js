// How many words are enough.

function startSizes({ divergence, accuracy }) {
  const place = document.getElementById("size-charts");
  place.append(divergenceChart(divergence));
  if (accuracy.length) place.append(accuracyChart(accuracy, divergence));
}

function divergenceChart({ ks, explained, terms, milestones }) {
  const marks = milestones.map(({ share, k }) => ({
    k,
    text: `${percent(share, 0)}: ${number(k)}`,
  }));
  return lineChart({
    title: "Share of the divergence reached",
    ks,
    marks,
    range: [0, 1.005],
    lines: [{ values: explained, colour: "for" }],
    readout: (i) => [
      element("strong", {}, nWords(ks[i])),
      `: ${shareReached(explained[i])} reached; the last is `,
      foreign(terms[i], { class: "term" }),
    ],
  });
}

function accuracyChart(curves, divergence) {
  const ks = [...new Set(curves.flatMap((curve) => curve.ks))].sort((a, b) => a - b);
  const at = (curve, field) => {
    const known = new Map(curve.ks.map((k, i) => [k, curve[field][i]]));
    return ks.map((k) => known.get(k) ?? null);
  };
  const term = new Map(divergence.ks.map((k, i) => [k, divergence.terms[i]]));
  const lines = curves.map((curve, i) => ({
    label: curve.label,
    values: fill(at(curve, "mean")),
    spread: i ? null : fill(at(curve, "spread")),
    colour: i ? "against" : "for",
    dash: i ? [6, 3] : [],
  }));
  const chosen = curves[0];
  const marks = [{ k: chosen.enough, text: `enough: ${number(chosen.enough)}` }];
  if (chosen.best !== chosen.enough)
    marks.push({ k: chosen.best, text: `best: ${number(chosen.best)}` });
  const figure = lineChart({
    title: "Accuracy of naive Bayes",
    ks,
    lines,
    marks,
    readout: (i) => {
      const said = [element("strong", {}, nWords(ks[i])), ": "];
      lines.forEach((line, n) =>
        said.push(
          n ? " · " : "",
          stroke(line),
          ` ${percent(line.values[i])}`,
          line.spread ? ` ± ${percent(line.spread[i])}` : "",
        ),
      );
      if (term.has(ks[i])) said.push("; the last is ", foreign(term.get(ks[i]), { class: "term" }));
      return said;
    },
  });
  figure.querySelector(".chart").after(
    element(
      "p",
      { class: "legend" },
      ...lines.map((line) => element("span", {}, stroke(line), ` ${line.label}`)),
    ),
  );
  return figure;
}

/** Two curves may differ in a point or two, where each marks its best: carry the value before on. */
function fill(values) {
  let last = values.find((value) => value != null);
  return values.map((value) => (last = value ?? last));
}
