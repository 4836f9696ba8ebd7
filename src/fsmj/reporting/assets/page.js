// The page: sections that have data, in order.

function aboutSection({ facts, command }) {
  const copy = element(
    "button",
    {
      type: "button",
      onclick: async () => {
        try {
          await navigator.clipboard.writeText(command);
          copy.textContent = "Copied";
        } catch {
          copy.textContent = "Select and copy";
        }
      },
    },
    "Copy",
  );
  return section(
    "about",
    "About",
    "What this report was made from, and how to make it again.",
    element(
      "dl",
      { class: "facts" },
      ...facts.flatMap(({ what, value }) => [
        element("dt", {}, foreign(what)),
        element("dd", {}, foreign(value)),
      ]),
    ),
    element("div", { class: "command" }, element("code", {}, foreign(command)), copy),
  );
}

const SECTIONS = [
  ["words", "Words", wordsSection],
  ["sizes", "How many", sizesSection],
  ["comparison", "Compare", comparisonSection],
  ["documents", "Documents", documentsSection],
  ["about", "About", aboutSection],
];

function start() {
  const summary = JSON.parse(document.getElementById("summary").textContent);
  const content = document.getElementById("content");
  document
    .getElementById("details")
    .append(...summary.details.map((text) => element("p", {}, foreign(text))));
  document
    .getElementById("figures")
    .append(
      ...summary.figures.map(({ what, value }) =>
        element("div", {}, element("dt", {}, what), element("dd", {}, value)),
      ),
    );
  content.replaceChildren();
  const shown = SECTIONS.filter(([id]) => summary[id]);
  document
    .getElementById("sections")
    .append(...shown.map(([id, title]) => element("a", { href: `#${id}` }, title)));
  for (const [id, , make] of shown) content.append(make(summary[id]));
  startTheme();
  root.dataset.ready = "";
}

start();
