// Line charts over the number of words: one look, a readout, and arrow keys for the cursor.

const ROW = 17; // pixels of a line of text above a plot
const DASHES = [[], [6, 3], [2, 3], [10, 3, 2, 3], [1, 2], [14, 4], [6, 2, 2, 2, 2, 2], [3, 6]];
// The signs of the table of methods; a line has one at each so many pixels.
const SIGNS = {
  o: "M-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0",
  s: "M-3-3h6v6h-6z",
  "^": "M0-3.5l3.5 6.5h-7z",
  v: "M0 3.5l-3.5-6.5h7z",
  "<": "M-3.5 0l6.5-3.5v7z",
  ">": "M3.5 0l-6.5-3.5v7z",
  D: "M0-3.8l3.8 3.8l-3.8 3.8l-3.8-3.8z",
  d: "M0-3.8l2.2 3.8l-2.2 3.8l-2.2-3.8z",
  h: "M-2-3.5h4l2 3.5l-2 3.5h-4l-2-3.5z",
  P: "M-1-3.5h2v2.5h2.5v2h-2.5v2.5h-2v-2.5h-2.5v-2h2.5z",
  X: "M-3-3l6 6m0-6l-6 6",
  "*": "M0-3.8v7.6m-3.3-5.7l6.6 3.8m0-3.8l-6.6 3.8",
  1: "M0 0v3.8m0-3.8l-3.3-1.9m3.3 1.9l3.3-1.9",
  2: "M0 0v-3.8m0 3.8l-3.3 1.9m3.3-1.9l3.3 1.9",
};
const APART = 110;

/**
 * Draw lines over k.
 *
 * lines: [{label, values, colour (as `ink` takes it), dash, marker, width, spread}]
 * marks: [{k, text}], vertical rules.
 * readout(index): the nodes that say what is under the cursor.
 * yFormat(value, step): a label of the axis, whose labels lie a step apart.
 */
function lineChart({
  title,
  ks,
  lines,
  marks = [],
  readout,
  log = true,
  height = 300,
  range,
  yFormat = (value, step) => percent(value, decimals(100 * step)),
}) {
  const said = element("p.readout", { "aria-live": "polite" });
  const label = `${title}. The arrow keys move along the line.`;
  const box = element("div.chart", { tabindex: 0, role: "img", "aria-label": label });
  const whole = element("figure", element("figcaption", title), box, said);
  const hint = "Point at the chart, or use the arrow keys, for the values.";
  const quiet = element("span.quiet", hint);
  const say = (index) => said.replaceChildren(...(index == null ? [quiet] : readout(index)));
  let plot;

  function draw() {
    const place = plot ? plot.cursor.idx : null;
    plot?.destroy();
    const series = [{}];
    const columns = [ks];
    const bands = [];
    for (const line of lines) {
      const stroke = colour(line.colour);
      if (line.spread) {
        const edge = (sign) =>
          line.values.map((v, i) => (v == null ? null : v + sign * line.spread[i]));
        const unseen = { stroke: "transparent", width: 0, points: { show: false } };
        const fill = stroke.replace("rgb(", "rgba(").replace(")", ", 0.15)");
        bands.push({ series: [series.length, series.length + 1], fill });
        columns.push(edge(1), edge(-1));
        series.push({ ...unseen }, { ...unseen });
      }
      const { width = 2, dash } = line;
      columns.push(line.values);
      series.push({ stroke, width, dash, spanGaps: false, points: { show: ks.length < 2 } });
    }
    plot = new uPlot(
      {
        width: Math.max(box.clientWidth, 200),
        height: height + ROW * marks.length,
        padding: [ROW * marks.length || null, null, null, null],
        series,
        bands,
        legend: { show: false },
        cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
        scales: {
          x: {
            time: false,
            distr: log ? 3 : 1,
            range: (u, low, high) => [low, high > low ? high : low + 1],
          },
          y: { range: range || yRange },
        },
        axes: [xAxis(log), yAxis(yFormat)],
        hooks: { setCursor: [(u) => say(u.cursor.idx)], draw: [(u) => drawMarks(u, marks), (u) => drawSigns(u, lines)] },
      },
      columns,
      box,
    );
    if (place != null) moveTo(place);
    else say(null);
  }

  function moveTo(index) {
    const at = Math.min(Math.max(index, 0), ks.length - 1);
    plot.setCursor({ left: plot.valToPos(ks[at], "x"), top: 10 });
  }

  box.addEventListener("keydown", (event) => {
    const steps = { ArrowLeft: -1, ArrowRight: 1, PageUp: 10, PageDown: -10 };
    if (!plot || !(event.key in steps)) return;
    event.preventDefault();
    moveTo((plot.cursor.idx ?? 0) + steps[event.key]);
  });
  let width = 0;
  new ResizeObserver(() => {
    if (box.clientWidth !== width) {
      width = box.clientWidth;
      draw();
    }
  }).observe(box);
  charts.add({ box, draw });
  return whole;
}

function yRange(u, low, high) {
  const room = (high - low || 0.1) * 0.06;
  return [Math.max(low - room, 0), Math.min(high + room, 1.005)];
}

function axis() {
  return {
    stroke: colour("soft"),
    font: "12px system-ui, sans-serif",
    grid: { stroke: colour("rule"), width: 1 },
    ticks: { show: false },
  };
}

function xAxis(log) {
  const short = (k) => (k >= 1e6 ? `${k / 1e6}M` : number(k));
  const powers = (u, splits) => splits.map((k) => (Number.isInteger(Math.log10(k)) ? k : null));
  return {
    ...axis(),
    size: 34,
    label: "number of words",
    labelSize: 20,
    labelFont: axis().font,
    values: (u, splits) => splits.map((k) => (k == null || k % 1 ? "" : short(k))),
    ...(log ? { filter: powers } : {}),
  };
}

function yAxis(format) {
  return {
    ...axis(),
    size: 66, // room above it for the name of a mark at 1
    values: (u, splits, side, space, step) => splits.map((value) => format(value, step)),
  };
}

function drawMarks(u, marks) {
  const { ctx } = u;
  const scale = devicePixelRatio;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = colour("soft");
  ctx.lineWidth = scale;
  ctx.setLineDash([4 * scale, 3 * scale]);
  ctx.font = `${12 * scale}px system-ui, sans-serif`;
  ctx.textAlign = "end";
  // Above the plot, the largest number highest: its rule passes those before it on their right.
  marks.forEach((mark, row) => {
    const x = Math.round(u.valToPos(mark.k, "x", true));
    const y = u.bbox.top - (5 + ROW * row) * scale;
    ctx.beginPath();
    ctx.moveTo(x, y - 12 * scale);
    ctx.lineTo(x, u.bbox.top + u.bbox.height);
    ctx.stroke();
    const right = Math.max(x - 5 * scale, ctx.measureText(mark.text).width);
    ctx.fillText(mark.text, right, y);
  });
  ctx.restore();
}

/** Signs along the lines, each line's at places of its own, that tell them apart without colour. */
function drawSigns(u, lines) {
  const { ctx, bbox } = u;
  const scale = devicePixelRatio;
  const signed = lines.filter(({ marker }) => SIGNS[marker]);
  signed.forEach((line, i) => {
    const seen = new Set();
    for (let x = (APART * (i + 0.5)) / signed.length; x < bbox.width / scale; x += APART)
      seen.add(u.posToIdx(x));
    for (const at of seen) {
      const y = line.values[at] == null ? NaN : u.valToPos(line.values[at], "y", true);
      if (!(y >= bbox.top && y <= bbox.top + bbox.height)) continue;
      ctx.save();
      ctx.translate(u.valToPos(u.data[0][at], "x", true), y);
      ctx.scale(scale, scale);
      ctx.fillStyle = ctx.strokeStyle = colour(line.colour);
      ctx.lineWidth = 1.5;
      const sign = new Path2D(SIGNS[line.marker]);
      ctx.fill(sign);
      ctx.stroke(sign);
      ctx.restore();
    }
  });
}

/** The key of a line: a stroke as it is drawn, with its sign. */
function stroke({ colour: named, dash = [], width = 2, marker }) {
  const path = drawn("path", { d: "M0 4H28", "stroke-dasharray": dash.join(" ") });
  const sign = drawn("path", { d: SIGNS[marker] ?? "", transform: "translate(14 4)" });
  path.style.stroke = sign.style.stroke = sign.style.fill = ink(named);
  path.style.strokeWidth = width;
  return drawn("svg.stroke", { viewBox: "0 -1 28 10", "aria-hidden": "true" }, path, sign);
}
