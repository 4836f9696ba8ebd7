// The words of each class, side by side.

const CLASSES_SHOWN = 12;

function classCards(words, choose) {
  const card = (group) => {
    const largest = group.contributions[0] || 1;
    const rows = group.terms.map((term, i) => {
      const bar = element("span", { class: "bar for" });
      bar.style.width = `${(100 * group.contributions[i]) / largest}%`;
      return element(
        "li",
        {},
        foreign(term, { title: term }),
        element("span", { class: "track" }, bar),
      );
    });
    return element(
      "article",
      { class: "card" },
      element(
        "h4",
        {},
        element(
          "button",
          {
            type: "button",
            class: "word",
            title: `List the words of ${group.name}`,
            onclick: () => choose(group.index),
          },
          foreign(group.name),
        ),
      ),
      element(
        "p",
        { class: "quiet" },
        `${number(group.n_docs)} document${group.n_docs === 1 ? "" : "s"}`,
      ),
      rows.length
        ? element("ol", {}, ...rows)
        : element("p", { class: "quiet" }, "No word speaks for it."),
    );
  };
  const grid = element(
    "div",
    { class: "cards" },
    ...words.by_class.slice(0, CLASSES_SHOWN).map(card),
  );
  const hidden = words.by_class.slice(CLASSES_SHOWN);
  const more = element(
    "button",
    {
      type: "button",
      class: "more",
      onclick: () => {
        grid.append(...hidden.map(card));
        more.remove();
      },
    },
    `Show the other ${number(hidden.length)} classes`,
  );
  return element(
    "div",
    {},
    element("h3", {}, "Class by class"),
    element(
      "p",
      { class: "quiet" },
      "The words that speak most for each class, the largest classes first.",
    ),
    grid,
    ...(hidden.length ? [more] : []),
  );
}
