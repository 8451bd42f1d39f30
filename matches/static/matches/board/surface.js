/* What does not move: frame, points, numbers and trays, and the hints that are drawn over them; all SVG. */

const SVG = "http://www.w3.org/2000/svg";

export function svg(name, attributes = {}, text = "") {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text) element.textContent = text;
  return element;
}

// Light and shade that lie over the colours of a theme: [id, direction (none: from the middle), stops of lightness
// (1 white) and opacity].
const SHADES = [
  ["shade-felt", "", "1 .05|0 0|0 .08"],
  ["shade-down", "0 1", "0 .42|0 0"],
  ["shade-right", "1 0", "0 .34|0 0"],
  ["shade-bar", "1 0", "1 .02|1 .1|1 .02|1 .1|0 .3"],
  ["inlay-top", "0 1", "0 .14|1 .1"],
  ["inlay-bottom", "0 1", "1 .1|0 .14"],
];

function shades() {
  const defs = svg("defs");
  for (const [id, direction, stops] of SHADES) {
    const [x2, y2] = direction.split(" ");
    const gradient = direction ? svg("linearGradient", { id, x2, y2 }) : svg("radialGradient", { id, cy: 0.45, r: 0.75 });
    const parts = stops.split("|");
    for (const [index, part] of parts.entries()) {
      const [light, opacity] = part.split(" ");
      const color = light === "1" ? "#fff" : "#000";
      gradient.append(svg("stop", { offset: index / (parts.length - 1), "stop-color": color, "stop-opacity": opacity }));
    }
    defs.append(gradient);
  }
  return defs;
}

/** Draw the board without checkers. `numbers(place)` returns what is written at a point. */
export function drawSurface(target, geometry, numbers) {
  const { width, height, band, column, tray, trayHeight, bar } = geometry;
  target.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const parts = [shades()];
  const rect = (name, x, y, wide, high, rx = 0) => parts.push(svg("rect", { class: name, x, y, width: wide, height: high, rx }));
  const shade = (id, ...box) => {
    rect("shade", ...box);
    parts.at(-1).setAttribute("fill", `url(#${id})`);
  };
  const felts = [geometry.rail, geometry.right].map((left) => (geometry.mirrored ? width - left - 6 * column : left));
  const deep = height - 2 * band;
  for (const x of felts) {
    rect("rim", x - 1.5, band - 1.5, 6 * column + 3, deep + 3, 2);
    rect("felt", x, band, 6 * column, deep);
    shade("shade-felt", x, band, 6 * column, deep);
  }
  const edges = { dark: "", light: "" };
  for (let place = 1; place <= 24; place += 1) {
    const x = geometry.columnX(place);
    const isTop = geometry.isTop(place);
    const base = isTop ? band : height - band;
    const tip = base + (isTop ? 1 : -1) * geometry.pointHeight;
    const [left, right] = [x - column * 0.475, x + column * 0.475];
    const color = place % 2 === (isTop ? 1 : 0) ? "sand" : "rust";
    const d = `M${left} ${base}L${x} ${tip}L${right} ${base}Z`;
    parts.push(svg("path", { class: color, d }), svg("path", { class: "shade", fill: `url(#inlay-${isTop ? "top" : "bottom"})`, d }));
    edges.dark += `M${left} ${base}L${x} ${tip}`;
    edges.light += `M${right} ${base}L${x} ${tip}`;
    const y = isTop ? band / 2 : height - band / 2;
    parts.push(svg("text", { x, y, class: "number" }, String(numbers(place))));
  }
  for (const [kind, d] of Object.entries(edges)) parts.push(svg("path", { class: `edge ${kind}`, d }));
  for (const x of felts) {
    shade("shade-down", x, band, 6 * column, 13);
    shade("shade-right", x, band, 9, deep);
  }
  const barX = geometry.x(bar.left + bar.width / 2) - bar.width / 2;
  shade("shade-bar", barX + 1, 0, bar.width - 2, height);
  parts.push(svg("path", { class: "hinge", d: `M${barX + bar.width / 2} 0V${height}` }));
  const trayX = geometry.x(tray.left + tray.width / 2) - tray.width / 2;
  for (const y of [band, height - band - trayHeight]) {
    rect("rim", trayX - 1.5, y - 1, tray.width + 3, trayHeight + 3, 6);
    rect("tray", trayX, y, tray.width, trayHeight, 5);
    shade("shade-down", trayX, y, tray.width, 14, 5);
    const lines = [1, 2].map((third) => `M${trayX + 4} ${y + (trayHeight * third) / 3}h${tray.width - 8}`);
    parts.push(svg("path", { class: "edge light", d: lines.join("") }));
  }
  if (!geometry.compact) {
    const groove = geometry.cubeSize() + 14;
    rect("groove", geometry.x(geometry.rail / 2) - groove / 2, band, groove, deep, 8);
  }
  target.replaceChildren(...parts);
}

/** Draw where a held checker may go: a ring, a tab at the edge, a star where it hits; and an imprint where it stood. */
export function drawHints(target, geometry, destinations, origins, lifted) {
  target.setAttribute("viewBox", `0 0 ${geometry.width} ${geometry.height}`);
  const stood = circle(geometry.checkerAt(lifted.place, lifted.count - 1, lifted.count), (geometry.checker / 2) * 0.92);
  const parts = [svg("path", { class: "imprint", d: stood })];
  for (const { place, count, hits } of destinations) {
    parts.push(...ring(geometry, place, hits ? 0 : count, "hint", !hits), edgeTab(geometry, place));
    if (hits) parts.push(star(geometry, place));
  }
  for (const { place, count } of origins) parts.push(...ring(geometry, place, count, "origin", false));
  target.replaceChildren(...parts);
}

/** Draw a play: an imprint where a checker stood, and a ring where it stands now. */
export function drawPlay(target, geometry, steps, kind, countAt) {
  target.setAttribute("viewBox", `0 0 ${geometry.width} ${geometry.height}`);
  const radius = geometry.checker / 2;
  let [starts, ends] = ["", ""];
  for (const { from, to } of steps) {
    // Where a checker only passed by, it left nothing.
    if (!steps.some((step) => step.to === from)) starts += circle(geometry.checkerAt(from, countAt(from), countAt(from) + 1), radius * 0.92);
    if (steps.some((step) => step.from === to)) continue;
    ends += circle(geometry.checkerAt(to, Math.max(countAt(to) - 1, 0), Math.max(countAt(to), 1)), radius + 1.5);
  }
  // One element for all that looks the same, which is kept: a play is drawn between two frames of an animation.
  const parts = Object.entries({ imprint: starts, "ring-under": ends, [`ring ${kind}`]: ends });
  if (!target.firstChild) target.append(...parts.map(() => svg("path")));
  for (const [index, [name, d]] of parts.entries()) {
    const path = target.children[index];
    if (path.getAttribute("class") !== name) path.setAttribute("class", name);
    path.setAttribute("d", d);
  }
}

/** Return a circle as a part of a path. */
export function circle({ x, y }, radius) {
  const arc = (width) => `a${radius} ${radius} 0 1 0 ${width} 0`;
  return `M${x - radius} ${y}${arc(2 * radius)}${arc(-2 * radius)}`;
}

function ring(geometry, place, index, kind, filled) {
  const { x, y } = geometry.checkerAt(place, index, index + 1);
  const circle = { cx: x, cy: y, r: geometry.checker / 2 - 1 };
  return [
    svg("circle", { class: `ring-under ${filled ? "filled" : ""}`, ...circle }),
    svg("circle", { class: `ring ${kind}`, ...circle }),
  ];
}

function edgeTab(geometry, place) {
  const { left, width } = geometry.area(place);
  const y = geometry.isTop(place) ? geometry.band - 5 : geometry.height - geometry.band + 1;
  return svg("rect", { class: "edge-tab", x: left + width * 0.08, y, width: width * 0.84, height: 4, rx: 2 });
}

function star(geometry, place) {
  const { x, y } = geometry.checkerAt(place, 0, 1);
  const outer = geometry.checker * 0.26;
  const inner = outer * 0.36;
  const points = Array.from({ length: 8 }, (_, index) => {
    const radius = index % 2 ? inner : outer;
    const angle = (index * Math.PI) / 4;
    return `${x + radius * Math.sin(angle)},${y - radius * Math.cos(angle)}`;
  });
  return svg("polygon", { class: "star", points: points.join(" ") });
}
