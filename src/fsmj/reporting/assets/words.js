// The ranked words: a table that sorts, searches and filters.

const PRINTED = 40;

function wordsSection(words) {
  const chooseClass = element(
    "select",
    {},
    option("", "all classes"),
    ...words.classes.map((name, i) => option(i, name)),
  );
  const search = element("input", {
    type: "search",
    placeholder: "a word or a part of it",
    autocomplete: "off",
    spellcheck: "false",
  });
  const found = element("p", { class: "count", role: "status" });
  const place = element("div", { id: "word-table" });
  const detail = element("aside", { class: "detail", "aria-live": "polite" });
  const made = section(
    "words",
    "Words",
    wordsLead(words),
    element(
      "div",
      { class: "controls" },
      labelled("Search", search),
      labelled("Speaks for", chooseClass),
      found,
    ),
    element("div", { class: "split" }, place, detail),
    printedTable(words),
    ...leftOut(words),
    classCards(words, (index) => {
      chooseClass.value = index;
      chooseClass.dispatchEvent(new Event("change"));
      made.scrollIntoView();
    }),
  );

  const show = (rank) => detail.replaceChildren(...wordDetail(words, rank - 1));
  show(1);
  const table = wordTable(words, place, show);
  const filter = () => {
    const wanted = search.value.trim().toLowerCase();
    const class_ = chooseClass.value;
    table.setFilter(
      (row) =>
        (!wanted || row.term.toLowerCase().includes(wanted)) &&
        (class_ === "" || row.strongest === Number(class_)),
    );
  };
  let waiting;
  search.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(filter, 120);
  });
  chooseClass.addEventListener("change", filter);
  const count = (rows) => {
    found.textContent = `${number(rows)} of ${number(words.terms.length)} words`;
  };
  table.on("dataFiltered", (filters, rows) => count(rows.length));
  count(words.terms.length);
  return made;
}

function wordsLead(words) {
  const score = words.gains
    ? "The gain is what a word adds to the divergence of the classes, given the words before it"
    : `The score is that of ${words.method}`;
  return `${score}; the share is how much of the divergence is reached with it. Bars show for which classes a word speaks (up) and against which (down).`;
}

function leftOut(words) {
  const notes = [];
  if (words.terms.length < words.n_ranked)
    notes.push(
      `The table lists the first ${number(words.terms.length)} of ${number(words.n_ranked)} ranked words.`,
    );
  if (words.n_ranked < words.n_terms)
    notes.push(`${number(words.n_ranked)} of ${number(words.n_terms)} words were ranked.`);
  if (words.contributions.length < words.terms.length)
    notes.push(
      `Bars are kept for the first ${number(words.contributions.length)} words only, to keep the page small.`,
    );
  return notes.length ? [element("p", { class: "note" }, notes.join(" "))] : [];
}

function wordTable(words, place, show) {
  const rows = words.terms.map((term, i) => ({
    rank: i + 1,
    term,
    score: words.scores[i],
    explained: words.explained[i],
    strongest: words.strongest[i],
  }));
  const heading = (text) => () => element("button", { type: "button", class: "heading" }, text);
  const numeric = { hozAlign: "right", headerHozAlign: "right", headerSortStartingDir: "desc" };
  const table = new Tabulator(place, {
    data: rows,
    index: "rank",
    height: 520,
    layout: "fitColumns",
    responsiveLayout: "hide",
    rowHeight: 38,
    placeholder: "No word fits.",
    headerSortClickElement: "header",
    columns: [
      {
        title: "Rank",
        titleFormatter: heading("Rank"),
        field: "rank",
        width: 78,
        ...numeric,
        headerSortStartingDir: "asc",
        formatter: (cell) => number(cell.getValue()),
        responsive: 0,
      },
      {
        title: "Word",
        titleFormatter: heading("Word"),
        field: "term",
        minWidth: 110,
        widthGrow: 2,
        sorter: "string",
        responsive: 0,
        formatter: (cell) =>
          element(
            "button",
            { type: "button", class: "word", title: cell.getValue() },
            foreign(cell.getValue()),
          ),
      },
      {
        title: "Score",
        titleFormatter: heading(words.gains ? "Gain" : "Score"),
        field: "score",
        width: 92,
        sorter: "number",
        ...numeric,
        formatter: (cell) => rounded(cell.getValue()),
        responsive: 2,
      },
      {
        title: "Share",
        titleFormatter: heading("Share"),
        field: "explained",
        width: 92,
        sorter: "number",
        ...numeric,
        formatter: (cell) => shareReached(cell.getValue()),
        responsive: 0,
      },
      {
        title: "Class",
        titleFormatter: heading("Class"),
        field: "strongest",
        minWidth: 130,
        widthGrow: 1.4,
        responsive: 3,
        sorter: (a, b) => words.classes[a].localeCompare(words.classes[b]),
        formatter: (cell) => foreign(words.classes[cell.getValue()]),
      },
      {
        title: "Bars",
        titleFormatter: () => element("span", {}, "For and against"),
        field: "rank",
        width: 150,
        headerSort: false,
        responsive: 1,
        formatter: (cell) => bars(words, cell.getValue() - 1),
      },
    ],
  });
  table.on("cellClick", (event, cell) => show(cell.getRow().getData().rank));
  return table;
}

/** A plain table for paper, where nothing scrolls. */
function printedTable(words) {
  const shown = words.terms.slice(0, PRINTED);
  const rows = shown.map((term, i) =>
    element(
      "tr",
      {},
      element("td", {}, number(i + 1)),
      element("td", {}, foreign(term)),
      element("td", {}, rounded(words.scores[i])),
      element("td", {}, shareReached(words.explained[i])),
      element("td", {}, foreign(words.classes[words.strongest[i]])),
    ),
  );
  const headings = ["Rank", "Word", words.gains ? "Gain" : "Score", "Share", "Speaks most for"];
  return element(
    "table",
    { class: "printed" },
    element(
      "caption",
      {},
      `The first ${number(shown.length)} of ${number(words.n_ranked)} ranked words`,
    ),
    element(
      "thead",
      {},
      element("tr", {}, ...headings.map((text) => element("th", { scope: "col" }, text))),
    ),
    element("tbody", {}, ...rows),
  );
}
