// Light or dark as the system says, until the reader says otherwise; charts follow.

const charts = new Set();
const root = document.documentElement;
const systemDark = matchMedia("(prefers-color-scheme: dark)");

const isDark = () =>
  root.style.colorScheme ? root.style.colorScheme === "dark" : systemDark.matches;

/** A colour of the style sheet by its name; or one of a method, made fit for dark and for light. */
const ink = (name) =>
  name.startsWith("#")
    ? `light-dark(oklch(from ${name} min(l, 0.65) c h), oklch(from ${name} calc(1 - 0.45 * l) c h))`
    : `var(--${name})`;

/** The value of a colour, as a canvas understands it. */
function colour(name) {
  const probe = element("span.hidden");
  probe.style.color = ink(name);
  document.body.append(probe);
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
}

function showTheme() {
  const other = isDark() ? "Light" : "Dark";
  const button = document.getElementById("theme");
  button.textContent = other;
  button.title = `Show in ${other.toLowerCase()} colours`;
  for (const chart of charts) {
    if (chart.box.isConnected) chart.draw();
    else charts.delete(chart);
  }
}

function choose(theme) {
  root.style.colorScheme = theme;
  showTheme();
}

function startTheme() {
  document.getElementById("theme").onclick = () => choose(isDark() ? "light" : "dark");
  systemDark.onchange = showTheme;
  // Paper is light: canvases are drawn anew for it.
  let before;
  addEventListener("beforeprint", () => {
    before = root.style.colorScheme;
    choose("light");
  });
  addEventListener("afterprint", () => choose(before));
  showTheme();
}
