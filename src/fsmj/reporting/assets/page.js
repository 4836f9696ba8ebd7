// What moves on the page; all that stands still was written by the templates.

/** Samples as the scripts use them: letters rather than text, as a letter may be two code units. */
function unpacked(data) {
  const samples = data.samples.map(([text, begins, ends, label, decision, flat]) => ({
    letters: Array.from(text),
    begins,
    ends,
    label,
    decision,
    places: Array.from({ length: flat.length / 3 }, (_, i) => flat.slice(3 * i, 3 * i + 3)),
  }));
  return { ...data, samples };
}

/** A number of the table of decisions shows such documents. */
function startCells({ classes, samples }) {
  const place = document.getElementById("cell");
  const buttons = document.querySelectorAll("[data-cell]");
  const show = (chosen) => {
    const [label, decision] = chosen.dataset.cell.split(",").map(Number);
    const found = samples.filter((s) => s.label === label && s.decision === decision);
    const right = label === decision;
    const taken = right ? [", decided right"] : [", taken for ", foreign(classes[decision])];
    const count = element("span.quiet", ` (${number(found.length)} of ${chosen.textContent})`);
    place.replaceChildren(
      element("h4", foreign(classes[label]), ...taken, count),
      ...found.map((sample) =>
        element(
          `article.document.${right ? "right" : "wrong"}`,
          element("blockquote", { dir: "auto" }, ...wholeText(sample)),
        ),
      ),
    );
    for (const button of buttons) button.ariaPressed = button === chosen ? "true" : null;
    place.scrollIntoView({ block: "nearest" });
  };
  for (const button of buttons) button.onclick = () => show(button);
}

function startCopying() {
  const copy = document.getElementById("copy");
  copy.onclick = async () => {
    try {
      await navigator.clipboard.writeText(document.querySelector(".command code").textContent);
      copy.textContent = "Copied";
    } catch {
      copy.textContent = "Select and copy";
    }
  };
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
