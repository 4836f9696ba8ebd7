// Line charts over the number of words: one look, a readout, and arrow keys for the cursor.

const ROW = 17; // pixels of a line of text above a plot
const DASHES = [[], [6, 3], [2, 3], [10, 3, 2, 3], [1, 2], [14, 4], [6, 2, 2, 2, 2, 2], [3, 6]];

/**
 * Draw lines over k.
 *
 * lines: [{label, values, colour (as `ink` takes it), dash, width, spread}]
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
        hooks: { setCursor: [(u) => say(u.cursor.idx)], draw: [(u) => drawMarks(u, marks)] },
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
  const short = (k) => (k >= 1e6 ? `${k / 1e6}M` : k >= 1e4 ? `${k / 1e3}k` : number(k));
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
    size: 58,
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

/** The key of a line: a stroke as it is drawn. */
function stroke(line) {
  const path = drawn("path", { d: "M0 4H28", "stroke-dasharray": (line.dash || []).join(" ") });
  path.style.stroke = ink(line.colour);
  path.style.strokeWidth = line.width || 2;
  return drawn("svg.stroke", { viewBox: "0 0 28 8", "aria-hidden": "true" }, path);
}
