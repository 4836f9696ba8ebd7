// What moves on the page; all that stands still was written by the templates.

/** Samples as the scripts use them: letters rather than text, as a letter may be two code units. */
function unpacked(data) {
  return {
    ...data,
    samples: data.samples.map(([text, begins, ends, label, decision, flat]) => ({
      letters: Array.from(text),
      begins,
      ends,
      label,
      decision,
      places: Array.from({ length: flat.length / 3 }, (_, i) => flat.slice(3 * i, 3 * i + 3)),
    })),
  };
}

/** A number of the table of decisions shows such documents. */
function startCells({ classes, samples }) {
  const place = document.getElementById("cell");
  for (const button of document.querySelectorAll("[data-cell]"))
    button.addEventListener("click", () => {
      const [label, decision] = button.dataset.cell.split(",").map(Number);
      const found = samples.filter((s) => s.label === label && s.decision === decision);
      const right = label === decision;
      place.replaceChildren(
        element(
          "h4",
          {},
          foreign(classes[label]),
          ...(right ? [", decided right"] : [", taken for ", foreign(classes[decision])]),
          element("span", { class: "quiet" }, ` (${found.length} of ${button.textContent})`),
        ),
        ...found.map((sample) =>
          element(
            "article",
            { class: `document ${right ? "right" : "wrong"}` },
            element("blockquote", { dir: "auto" }, ...wholeText(sample)),
          ),
        ),
      );
      for (const other of document.querySelectorAll("[data-cell][aria-pressed]"))
        other.removeAttribute("aria-pressed");
      button.setAttribute("aria-pressed", "true");
      place.scrollIntoView({ block: "nearest" });
    });
}

function startCopying() {
  const copy = document.getElementById("copy");
  copy.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(document.querySelector(".command code").textContent);
      copy.textContent = "Copied";
    } catch {
      copy.textContent = "Select and copy";
    }
  });
}

function start() {
  const data = JSON.parse(document.getElementById("data").textContent);
  for (const [name, short] of Object.entries(data.short)) classNames.set(name, short);
  if (data.samples) data.samples = unpacked(data.samples);
  if (data.words) {
    data.words.rows = new Map(data.words.detailed.map((place, row) => [place, row]));
    startWords(data);
  }
  if (data.sizes) startSizes(data.sizes);
  if (data.contests.length) startComparison(data.contests);
  if (data.samples) startCells(data.samples);
  startCopying();
  startTheme();
  root.dataset.ready = "";
}

root.dataset.scripts = "";
start();
