"use strict";
// Draws the curves in the page's data with uPlot. Text from the data only ever enters the page as textContent.
(() => {
  const { panels } = JSON.parse(document.getElementById("data").textContent);
  const SHARES = new Set(["jaccard", "precision", "recall", "tuning-jaccard"]);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const hidden = new Set();
  const sync = uPlot.sync("rounds");
  let charts = [];
  let logRounds = false;
  let printing = false;

  const theme = () => (dark.matches && !printing ? "dark" : "light");
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const translucent = (hex, alpha) => hex + Math.round(alpha * 255).toString(16).padStart(2, "0");

  // Three significant digits, or all digits before the point, like the tables.
  function short(value) {
    const size = Math.abs(value);
    if (value === 0) return "0";
    if (size >= 1e9 || size < 1e-3) return value.toExponential(1);
    if (size >= 1000) return Math.round(value).toLocaleString("en-US");
    return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3);
  }

  function tick(value) {
    const size = Math.abs(value);
    if (size >= 1e6) return +(value / 1e6).toPrecision(4) + "M";
    if (size >= 1e4) return +(value / 1e3).toPrecision(4) + "k";
    if (size > 0 && size < 1e-3) return value.toExponential(0);
    return String(+value.toPrecision(4));
  }

  // The lines of a panel that have the metric, as { line, x, mean, ci95 }.
  function curves(panel, metric) {
    const tuned = metric.startsWith("tuning-") ? metric.slice(7) : null;
    const curve = (line) => {
      if (!tuned) {
        const found = line.curves[metric];
        return found && { line, x: line.t, mean: found.mean, ci95: found.ci95 };
      }
      const mean = line.tuning && line.tuning[tuned];
      return mean && { line, x: line.tuning.grid, mean, ci95: mean.map(() => 0), chosen: line.tuning.chosen };
    };
    // Later series are drawn over earlier ones, and the first policy should be on top.
    return panel.lines.map(curve).filter(Boolean).reverse();
  }

  // Columns in the order of uPlot: x, then mean, upper and lower end of every curve.
  function table(lines) {
    const tables = lines.map(({ x, mean, ci95 }) => {
      const end = (sign) => mean.map((value, i) => (value === null ? null : value + sign * (ci95[i] || 0)));
      const rows = [...x.keys()].sort((a, b) => x[a] - x[b]);
      return [x, mean, end(1), end(-1)].map((column) => rows.map((row) => column[row] ?? null));
    });
    return uPlot.join(tables);
  }

  function series(lines, isTuning) {
    return lines.flatMap(({ line }) => {
      const show = !hidden.has(line.label);
      const edge = { show, stroke: "transparent", width: 0, points: { show: false }, spanGaps: true, pxAlign: 0 };
      const mean = {
        label: line.label, show, stroke: line[theme()], width: line.width, dash: line.dash, spanGaps: true, pxAlign: 0,
        points: isTuning ? { show: true, size: 6, fill: line[theme()] } : {},
      };
      return [mean, { ...edge }, { ...edge }];
    });
  }

  function bands(lines) {
    return lines.map(({ line }, i) => ({
      series: [3 * i + 2, 3 * i + 3], fill: translucent(line[theme()], 0.17),
    }));
  }

  // On a log axis only powers of ten are marked, and only as many as have room; all marks when zoomed between two.
  function powers(u, splits) {
    const isPower = (v) => Math.abs(Math.log10(v) - Math.round(Math.log10(v))) < 1e-9;
    const found = splits.filter(isPower);
    if (found.length < 2) return splits;
    const every = Math.ceil((found.length * 42) / (u.width - 60));
    return splits.map((v) => (isPower(v) && found.indexOf(v) % every === 0 ? v : null));
  }

  function axes(isTuning, isLog, names) {
    const font = (printing ? 10 : 12) + "px system-ui, sans-serif";
    const common = {
      stroke: css("--soft"), font, labelFont: font,
      ticks: { stroke: css("--rule"), width: 1, size: 4 }, grid: { stroke: css("--grid"), width: 1 },
    };
    const x = {
      ...common, label: isTuning ? names : "Round t", labelSize: 22, size: 30, space: 48,
      values: (u, splits) => splits.map((v) => (v === null ? "" : tick(v))),
    };
    if (isLog) [x.filter, x.grid, x.ticks] = [powers, { ...x.grid, filter: powers }, { ...x.ticks, filter: powers }];
    return [x, { ...common, size: 48, values: (u, splits) => splits.map(tick) }];
  }

  function tooltip(lines, isTuning, isShare) {
    const tip = document.createElement("div");
    tip.className = "tip";
    tip.hidden = true;
    const row = ({ line, mean, half }) => {
      const [out, color, name, value] = ["div", "i", "span", "span"].map((tag) => document.createElement(tag));
      color.style.background = line[theme()];
      name.textContent = line.label;
      const digits = isShare ? (v) => v.toFixed(3) : short;
      value.textContent = digits(mean) + (half > 0 ? " ± " + digits(half) : "");
      out.append(color, name, value);
      return out;
    };
    const fill = (u, index) => {
      const found = lines.map(({ line, chosen }, i) => {
        const [mean, high] = [u.data[3 * i + 1][index], u.data[3 * i + 2][index]];
        return { line, mean, half: high - mean, chosen, show: u.series[3 * i + 1].show };
      });
      const rows = found.filter(({ mean, show }) => show && mean != null).sort((a, b) => b.mean - a.mean);
      const head = document.createElement("b");
      const x = u.data[0][index];
      head.textContent = isTuning ? "value " + tick(x) : "Round " + x.toLocaleString("en-US");
      tip.replaceChildren(head, ...rows.map(row));
    };
    return {
      hooks: {
        init: (u) => u.over.append(tip),
        setCursor: (u) => {
          const { left, top, idx } = u.cursor;
          // Synced plots follow the cursor, but only the plot under the pointer shows a tooltip.
          tip.hidden = idx == null || left < 0 || !u.over.matches(":hover");
          if (tip.hidden) return;
          fill(u, idx);
          const isRight = left > u.over.clientWidth / 2;
          const x = isRight ? left - tip.offsetWidth - 12 : left + 12;
          const y = Math.min(top + 12, u.over.clientHeight - tip.offsetHeight);
          tip.style.left = Math.max(x, -48) + "px";
          tip.style.top = Math.max(y, -20) + "px";
        },
      },
    };
  }

  // A ring around the chosen value of every tuned line.
  function rings(lines) {
    return {
      hooks: {
        draw: (u) => {
          for (const [i, { line, x, mean, chosen }] of lines.entries()) {
            const at = x.indexOf(chosen);
            if (at < 0 || mean[at] === null || !u.series[3 * i + 1].show) continue;
            u.ctx.beginPath();
            u.ctx.arc(u.valToPos(chosen, "x", true), u.valToPos(mean[at], "y", true), 7 * uPlot.pxRatio, 0, 7);
            u.ctx.lineWidth = 2 * uPlot.pxRatio;
            u.ctx.strokeStyle = line[theme()];
            u.ctx.stroke();
          }
        },
      },
    };
  }

  function draw(place) {
    const { metric, panel } = place.dataset;
    const isTuning = metric.startsWith("tuning-");
    const isShare = SHARES.has(metric);
    const lines = curves(panels[panel], metric);
    const data = table(lines);
    const isLog = isTuning ? data[0].every((x) => x > 0) && data[0].length > 1 : logRounds;
    const names = [...new Set(lines.map(({ line }) => line.tuning?.parameter).reverse())].join(", ");
    const top = (u, low, high) => [0, isShare ? 1 : high > 0 ? high * 1.05 : 1];
    const xRange = (u, low, high) => {
      if (isTuning && isLog) return [low / 1.6, high * 1.6];
      if (isTuning) return [low - 0.06 * (high - low || 1), high + 0.06 * (high - low || 1)];
      // The first recorded round is 1; the axis starts at 0, as in the figures.
      if (low <= 1 && !isLog) return [0, Math.max(high, 1)];
      return low === high ? [low / 2, high * 2] : [low, high];
    };
    const options = {
      width: place.clientWidth, height: place.clientHeight, legend: { show: false }, padding: [8, null, null, null],
      cursor: {
        y: false, drag: { x: true, y: false }, points: { size: 7 },
        ...(isTuning ? {} : { sync: { key: sync.key, setSeries: false } }),
      },
      scales: { x: { time: false, distr: isLog ? 3 : 1, range: xRange }, y: { range: top } },
      axes: axes(isTuning, isLog, names), series: [{}, ...series(lines, isTuning)], bands: bands(lines),
      plugins: [tooltip(lines, isTuning, isShare), ...(isTuning ? [rings(lines)] : [])],
    };
    return { place, chart: new uPlot(options, data, place), lines };
  }

  function drawAll() {
    for (const { chart } of charts) chart.destroy();
    charts = [...document.querySelectorAll(".plot")].map(draw);
  }

  function toggle(button) {
    const label = button.dataset.label;
    const show = hidden.delete(label);
    if (!show) hidden.add(label);
    button.setAttribute("aria-pressed", String(show));
    for (const { chart, lines } of charts) {
      chart.batch(() => lines.forEach(({ line }, i) => {
        if (line.label === label) for (const k of [1, 2, 3]) chart.setSeries(3 * i + k, { show });
      }));
    }
  }

  function resetZoom() {
    for (const { chart } of charts) chart.setData(chart.data, true);
  }

  async function copy(button) {
    const text = document.getElementById("config");
    try {
      await navigator.clipboard.writeText(text.textContent);
    } catch {
      // Some browsers give file:// pages no clipboard; document.execCommand still works there.
      getSelection().selectAllChildren(text);
      document.execCommand("copy");
    }
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  }

  const on = (id, event, act) => document.getElementById(id)?.addEventListener(event, act);
  for (const button of document.querySelectorAll(".key")) {
    // Of very many policies only some are shown at first.
    if (button.getAttribute("aria-pressed") === "false") hidden.add(button.dataset.label);
    button.addEventListener("click", () => toggle(button));
  }
  on("reset", "click", resetZoom);
  on("log-t", "change", (event) => { logRounds = event.target.checked; drawAll(); });
  on("copy", "click", (event) => copy(event.target));
  dark.addEventListener("change", drawAll);
  const print = (isPrinting) => {
    printing = document.documentElement.classList.toggle("printing", isPrinting);
    drawAll();
  };
  addEventListener("beforeprint", () => print(true));
  addEventListener("afterprint", () => print(false));
  new ResizeObserver(() => {
    for (const { place, chart } of charts) {
      const [width, height] = [place.clientWidth, place.clientHeight];
      if (width && (width !== chart.width || height !== chart.height)) chart.setSize({ width, height });
    }
  }).observe(document.querySelector("main"));
  drawAll();
})();
