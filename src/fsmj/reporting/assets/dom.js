// Elements are built from text nodes only, so that no term, label or document can become markup.

/** Make an element: element("p.note", { title: "more" }, "text", child), or without attributes. */
const element = (kind, ...content) => made("http://www.w3.org/1999/xhtml", kind, content);

/** Make an element of a drawing. */
const drawn = (kind, ...content) => made("http://www.w3.org/2000/svg", kind, content);

function made(namespace, kind, content) {
  const [tag, ...classes] = kind.split(".");
  const node = document.createElementNS(namespace, tag);
  node.classList.add(...classes);
  const attributes = content[0]?.constructor === Object ? content.shift() : {};
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value);
  }
  node.append(...content);
  return node;
}

/** Text from outside, kept from turning the direction of what is around it. */
const foreign = (text) => element("bdi", text);

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
const shareReached = (share) => (share < 1 && share > 0.999 ? "> 99.9 %" : percent(share));

/** A class where there is little room: by a short name, if it has one. */
const classNames = new Map();
const shortened = (name) => element("bdi", { title: name }, classNames.get(name) ?? name);
