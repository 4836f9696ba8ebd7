// Elements are built from text nodes only, so that no term, label or document can become markup.

/** Make an element: element("p", {class: "note"}, "text", child). */
const element = (tag, attributes = {}, ...children) =>
  filled(document.createElement(tag), attributes, children);

/** Make an element of a drawing. */
const drawn = (tag, attributes = {}, ...children) =>
  filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

function filled(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value != null) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

/** Text from outside, kept from turning the direction of what is around it. */
const foreign = (text, attributes = {}) => element("bdi", attributes, text);

const number = (value) => value.toLocaleString("en");
const percent = (share, digits = 1) => `${(100 * share).toFixed(digits)} %`;
const nWords = (n) => `${number(n)} ${n === 1 ? "word" : "words"}`;

/** A number with few digits, as people write it. */
function rounded(value, digits = 3) {
  if (value == null) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size < 1e-4) return value.toExponential(0);
  if (size < 1e-3) return value.toPrecision(2);
  return size < 10 ** (digits - 1) ? value.toPrecision(digits) : number(Math.round(value));
}

/** How many digits after the point a round number has. */
const decimals = (value) => (String(Number(value.toPrecision(6))).split(".")[1] || "").length;

/** A share that says 100 % only when there is nothing left. */
function shareReached(share) {
  return share < 1 && share > 0.999 ? "> 99.9 %" : percent(share);
}

/** A class where there is little room: by a short name, if it has one. */
const classNames = new Map();
const shortened = (name) => foreign(classNames.get(name) ?? name, { title: name });

const option = (value, text) => element("option", { value }, text);
