// Documents with the selected words marked, and the scores that these add up to.

function documentsSection({ note, examples }) {
  const key = element(
    "p",
    { class: "quiet" },
    element("mark", { class: "for" }, "Solid"),
    ": speaks for the decision. ",
    element("mark", { class: "against" }, "Dotted"),
    ": speaks for the class that it is weighed against. The stronger the colour, the stronger the word.",
  );
  return section("documents", "Documents", note, key, ...examples.map(documentCard));
}

/** The text, the selected words in the colour of the side that they take and as strong as they are. */
function marked(passages) {
  const strongest = Math.max(...passages.map(({ lead }) => Math.abs(lead ?? 0))) || 1;
  return passages.map(({ text, lead }) => {
    if (lead == null) return text;
    const mark = element("mark", { class: lead < 0 ? "against" : "for" }, text);
    mark.style.setProperty("--strength", Math.round((45 * Math.abs(lead)) / strongest));
    return mark;
  });
}

function documentCard(example) {
  const text = marked(example.passages);
  const verdict = example.right
    ? ["Right: ", foreign(example.decision)]
    : ["Wrong: decided ", foreign(example.decision), ", is ", foreign(example.label)];
  return element(
    "article",
    { class: `document ${example.right ? "right" : "wrong"}` },
    element(
      "h3",
      {},
      element("span", { class: "sign" }, example.right ? "✓" : "✗"),
      " ",
      ...verdict,
      element("span", { class: "quiet" }, ` ${surely(example.probability)}`),
    ),
    element(
      "div",
      { class: "halves" },
      element(
        "blockquote",
        { dir: "auto" },
        ...text,
        ...(example.cut ? [element("span", { class: "quiet" }, " … (the text goes on)")] : []),
      ),
      reasons(example),
    ),
  );
}

const surely = (probability) =>
  probability > 0.999 ? "(probability > 99.9 %)" : `(probability ${percent(probability)})`;

function reasons({ classes, reasons: rows, totals }) {
  const lead = (scores) => scores[0] - scores[1];
  const alone = rows.filter(({ kind }) => kind !== "others");
  const largest = Math.max(...alone.map((row) => Math.abs(lead(row.scores)))) || 1;
  const barOf = (scores) => {
    const bar = element("span", { class: `bar ${lead(scores) < 0 ? "against" : "for"}` });
    bar.style.width = `${(50 * Math.abs(lead(scores))) / largest}%`;
    return element("td", { class: "track", title: signed(lead(scores)) }, bar);
  };
  const line = ({ what, kind, times, scores }) =>
    element(
      "tr",
      {},
      element(
        "th",
        { scope: "row", class: kind },
        foreign(what),
        kind === "term" && times > 1 ? ` × ${number(times)}` : "",
      ),
      ...scores.map(logScore),
      kind === "others" ? element("td", {}, signed(lead(scores))) : barOf(scores),
    );
  const heads = classes.map((name) => element("th", { scope: "col", title: name }, foreign(name)));
  return element(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": "Reasons" },
    element(
      "table",
      { class: "reasons" },
      element(
        "thead",
        {},
        element(
          "tr",
          {},
          element("th", { scope: "col" }, "log score"),
          ...heads,
          element("th", { scope: "col" }, "lead"),
        ),
      ),
      element("tbody", {}, ...rows.map(line)),
      element(
        "tfoot",
        {},
        element(
          "tr",
          {},
          element("th", { scope: "row" }, "sum"),
          ...totals.map(logScore),
          element("td", {}, signed(lead(totals))),
        ),
      ),
    ),
  );
}

const logScore = (score) => element("td", {}, score.toFixed(1).replace("-", "−"));
