// The ranked words: a table that sorts, searches and filters, and the panel of one word.

function startWords(data) {
  const { words } = data;
  const chooseClass = document.getElementById("class-filter");
  const search = document.getElementById("search");
  const found = document.querySelector("#words .count");
  const cardOrder = document.getElementById("card-order");
  const rows = rowsOf(words);
  const panel = startPanel(data);
  const table = wordTable(words, rows, panel.show);
  let order = "contribution";
  let shown = rows.length;
  const count = (n) => {
    found.textContent = n === shown ? nWords(n) : `${number(n)} of ${nWords(shown)}`;
  };

  // The words of a class are those of its card, in the same order.
  const list = () => {
    const class_ = chooseClass.value;
    const chosen = class_ ? words.by_class[class_][order].map((place) => rows[place]) : rows;
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
  search.oninput = () => {
    clearTimeout(waiting);
    waiting = setTimeout(filter, 120);
  };
  chooseClass.onchange = list;
  for (const button of cardOrder.children)
    button.onclick = () => {
      order = button.value;
      for (const other of cardOrder.children) other.ariaPressed = other === button;
      for (const terms of document.querySelectorAll(".card ol"))
        terms.hidden = terms.dataset.order !== order;
      if (chooseClass.value) list();
    };
  for (const button of document.querySelectorAll("[data-class]"))
    button.onclick = () => {
      chooseClass.value = button.dataset.class;
      list();
      document.getElementById("words").scrollIntoView();
    };
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
    const shut = floating ? [element("button.close", { onclick: close }, "Close")] : [];
    place.replaceChildren(...shut, ...wordDetail(data, index));
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

const JUDGED = ["sure", "unsure"]; // by a share that means something

function rowsOf(words) {
  return words.terms.map((term, i) => ({
    rank: i + 1,
    term,
    score: words.scores[i],
    explained: words.explained[i],
    documents: words.documents[i],
    strongest: words.strongest[i],
    share: JUDGED.includes(words.sureness?.verdict[i]) ? words.sureness.share[i] : -1,
  }));
}

/** A column of numbers, largest first when it is sorted; the larger `responsive`, the sooner hidden. */
const numeric = (title, field, width, responsive, text) => ({
  title,
  field,
  width,
  responsive,
  formatter: (cell) => text(cell.getValue()),
  sorter: "number",
  hozAlign: "right",
  headerHozAlign: "right",
  headerSortStartingDir: "desc",
});

/** How wide a name is in a cell. */
function room(name) {
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = "12.5px system-ui, sans-serif";
  return Math.ceil(pen.measureText(name).width);
}

function wordTable(words, rows, show) {
  const longest = Math.max(...words.classes.map((name) => room(classNames.get(name) ?? name)));
  const indexOf = (cell) => cell.getRow().getData().rank - 1;
  const columns = [
    {
      ...numeric("#", "rank", rows.length > 9999 ? 78 : 60, 0, number),
      headerSortStartingDir: "asc",
    },
    {
      title: "Word",
      field: "term",
      minWidth: innerWidth < 560 ? 96 : 124,
      widthGrow: 2,
      sorter: "string",
      responsive: 0,
      formatter: (cell) => {
        const [title, index] = [cell.getValue(), indexOf(cell)];
        return element("button.word", { title, "data-word": index }, foreign(title));
      },
    },
    numeric(words.gains ? "Gain" : "Score", "score", 86, 4, rounded),
    numeric("Reached", "explained", 98, 3, shareReached),
    numeric("Docs", "documents", 70, 2, number),
    {
      ...numeric("Sure", "share", 84, 1),
      formatter: (cell) => sureCell(words, indexOf(cell)),
    },
    {
      title: "Class",
      field: "strongest",
      minWidth: Math.min(172, Math.max(80, 18 + longest)),
      widthGrow: 1,
      cssClass: "class",
      responsive: 0,
      sorter: (a, b) => words.classes[a].localeCompare(words.classes[b]),
      formatter: (cell) => shortened(words.classes[cell.getValue()]),
    },
    {
      title: "More and less",
      titleFormatter: "plaintext",
      field: "rank",
      width: 104,
      headerSort: false,
      responsive: 1,
      formatter: (cell) => bars(words, indexOf(cell)),
    },
  ];
  const unsaid = words.sureness?.n_terms < words.n_terms ? "" : "share";
  const table = new Tabulator("#word-table", {
    data: rows,
    index: "rank",
    height: Math.min(640, 36 + 39 * rows.length),
    layout: "fitColumns",
    responsiveLayout: "hide",
    rowHeight: 38,
    placeholder: "No word fits.",
    headerSortClickElement: "header",
    columnDefaults: { titleFormatter: (cell) => element("button.heading", cell.getValue()) },
    columns: columns.filter(({ field }) => field !== unsaid),
  });
  table.on("columnVisibilityChanged", (column, visible) => {
    const said = document.querySelector(`[data-column="${column.getDefinition().title}"]`);
    said?.classList.toggle("absent", !visible);
  });
  table.on("cellClick", (event, cell) => {
    if (!event.target.closest("[data-word]")) show(indexOf(cell), cell.getElement());
  });
  return table;
}
