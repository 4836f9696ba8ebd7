// The ranked words: a table that sorts, searches and filters, and the panel of one word.

function startWords(data) {
  const { words } = data;
  const chooseClass = document.getElementById("class-filter");
  const search = document.getElementById("search");
  const found = document.querySelector("#words .count");
  const cardOrder = document.getElementById("card-order");
  const rows = rowsOf(words);
  const panel = startPanel(data);
  const table = wordTable(words, rows, document.getElementById("word-table"), panel.show);
  let order = "contribution";
  let shown = rows.length;
  const count = (n) => {
    found.textContent = n === shown ? nWords(n) : `${number(n)} of ${nWords(shown)}`;
  };

  // The words of a class are those of its card, in the same order.
  const list = () => {
    const class_ = chooseClass.value;
    const places = class_ === "" ? null : words.by_class[class_][order];
    const chosen = places ? places.map((place) => rows[place]) : rows;
    shown = chosen.length;
    if (shown) panel.preview(chosen[0].rank - 1);
    table.clearSort();
    table.replaceData(chosen);
  };
  const filter = () => {
    const wanted = search.value.trim().toLowerCase();
    if (wanted) table.setFilter((row) => row.term.toLowerCase().includes(wanted));
    else table.clearFilter();
  };
  let waiting;
  search.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(filter, 120);
  });
  chooseClass.addEventListener("change", list);
  for (const button of cardOrder.children)
    button.addEventListener("click", () => {
      order = button.value;
      for (const other of cardOrder.children)
        other.setAttribute("aria-pressed", other === button);
      for (const terms of document.querySelectorAll(".card ol"))
        terms.hidden = terms.dataset.order !== order;
      if (chooseClass.value !== "") list();
    });
  for (const button of document.querySelectorAll("[data-class]"))
    button.addEventListener("click", () => {
      chooseClass.value = button.dataset.class;
      list();
      document.getElementById("words").scrollIntoView();
    });
  table.on("dataFiltered", (filters, left) => count(left.length));
  count(rows.length);
}

/** Show a word beside the table; or, where that is out of sight, in a panel over the page. */
function startPanel(data) {
  const beside = document.getElementById("beside");
  const over = document.getElementById("word");
  const narrow = matchMedia("(max-width: 900px)");
  let before;
  const close = () => {
    over.hidden = true;
    before?.focus({ preventScroll: true });
  };
  const show = (index, opener) => {
    const floating = narrow.matches || !opener.closest("#word-table");
    const place = floating ? over : beside;
    const shut = element("button", { type: "button", class: "close", onclick: close }, "Close");
    place.replaceChildren(...(floating ? [shut] : []), ...wordDetail(data, index));
    place.scrollTop = 0;
    over.hidden = !floating;
    before = opener;
  };
  const opened = (event) => {
    const opener = event.target.closest("[data-word]");
    if (opener) show(Number(opener.dataset.word), opener);
    return opener;
  };
  addEventListener("click", opened);
  addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
    const acts = event.key === "Enter" || event.key === " ";
    if (acts && event.target.matches("[role=button][data-word]") && opened(event))
      event.preventDefault();
  });
  const preview = (index) => beside.replaceChildren(...wordDetail(data, index));
  preview(0);
  return { show, preview };
}

function rowsOf(words) {
  return words.terms.map((term, i) => ({
    rank: i + 1,
    term,
    score: words.scores[i],
    explained: words.explained[i],
    documents: words.documents[i],
    strongest: words.strongest[i],
    share: words.sureness?.share[i],
  }));
}

function wordTable(words, rows, place, show) {
  const heading = (text) => () => element("button", { type: "button", class: "heading" }, text);
  const numeric = { hozAlign: "right", headerHozAlign: "right", headerSortStartingDir: "desc" };
  const longest = Math.max(...words.classes.map((name) => (classNames.get(name) ?? name).length));
  const table = new Tabulator(place, {
    data: rows,
    index: "rank",
    height: 640,
    layout: "fitColumns",
    responsiveLayout: "hide",
    rowHeight: 38,
    placeholder: "No word fits.",
    headerSortClickElement: "header",
    columns: [
      {
        title: "Rank",
        titleFormatter: heading("#"),
        field: "rank",
        width: rows.length > 9999 ? 78 : 60,
        ...numeric,
        headerSortStartingDir: "asc",
        formatter: (cell) => number(cell.getValue()),
        responsive: 0,
      },
      {
        title: "Word",
        titleFormatter: heading("Word"),
        field: "term",
        minWidth: innerWidth < 560 ? 96 : 124,
        widthGrow: 2,
        sorter: "string",
        responsive: 0,
        formatter: (cell) =>
          element(
            "button",
            {
              type: "button",
              class: "word",
              title: cell.getValue(),
              "data-word": cell.getRow().getData().rank - 1,
            },
            foreign(cell.getValue()),
          ),
      },
      {
        title: "Score",
        titleFormatter: heading(words.gains ? "Gain" : "Score"),
        field: "score",
        width: 86,
        sorter: "number",
        ...numeric,
        formatter: (cell) => rounded(cell.getValue()),
        responsive: 4,
      },
      {
        title: "Reached",
        titleFormatter: heading("Reached"),
        field: "explained",
        width: 98,
        sorter: "number",
        ...numeric,
        formatter: (cell) => shareReached(cell.getValue()),
        responsive: 3,
      },
      {
        title: "Documents",
        titleFormatter: heading("Docs"),
        field: "documents",
        width: 70,
        sorter: "number",
        ...numeric,
        formatter: (cell) => number(cell.getValue()),
        responsive: 2,
      },
      ...(words.sureness?.n_terms < words.n_terms ? [sureColumn(heading, numeric)] : []),
      {
        title: "Class",
        titleFormatter: heading("Class"),
        field: "strongest",
        minWidth: Math.min(172, Math.max(80, 32 + 7 * longest)),
        widthGrow: 1,
        cssClass: "class",
        responsive: 0,
        sorter: (a, b) => words.classes[a].localeCompare(words.classes[b]),
        formatter: (cell) => shortened(words.classes[cell.getValue()]),
      },
      {
        title: "Bars",
        titleFormatter: () => element("span", {}, "More and less"),
        field: "rank",
        width: 104,
        headerSort: false,
        responsive: 1,
        formatter: (cell) => bars(words, cell.getValue() - 1),
      },
    ],
  });
  table.on("cellClick", (event, cell) => {
    if (!event.target.closest("[data-word]"))
      show(cell.getRow().getData().rank - 1, cell.getElement());
  });
  return table;
}

const sureColumn = (heading, numeric) => ({
  title: "Sure",
  titleFormatter: heading("Sure"),
  field: "share",
  width: 74,
  sorter: "number",
  ...numeric,
  formatter: (cell) => {
    const share = cell.getValue();
    if (share == null) return "–";
    return element("span", { class: isSure(share) ? "" : "unsure" }, percent(share, 0));
  },
  responsive: 1,
});
