/* What does not move: frame, points, numbers and trays, and the hints that are drawn over them; all SVG. */

const SVG = "http://www.w3.org/2000/svg";

export function svg(name, attributes = {}, text = "") {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text) element.textContent = text;
  return element;
}

/** Draw the board without checkers. `numbers(place)` returns what is written at a point. */
export function drawSurface(target, geometry, numbers) {
  const { width, height, band, column, tray } = geometry;
  target.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const parts = [];
  for (const left of [geometry.rail, geometry.right]) {
    const x = geometry.mirrored ? width - left - 6 * column : left;
    parts.push(svg("rect", { class: "felt", x, y: band, width: 6 * column, height: height - 2 * band }));
  }
  const trayX = geometry.x(tray.left + tray.width / 2) - tray.width / 2;
  const trayHeight = height / 2 - band - Math.max(height * 0.05, 8);
  for (const y of [band, height - band - trayHeight]) {
    parts.push(svg("rect", { class: "tray", x: trayX, y, width: tray.width, height: trayHeight, rx: 3 }));
  }
  for (let place = 1; place <= 24; place += 1) {
    const x = geometry.columnX(place);
    const base = geometry.isTop(place) ? band : height - band;
    const tip = base + (geometry.isTop(place) ? 1 : -1) * geometry.pointHeight;
    const [left, right] = [x - column * 0.49, x + column * 0.49];
    const color = place % 2 === (geometry.isTop(place) ? 1 : 0) ? "sand" : "rust";
    parts.push(svg("path", { class: color, d: `M${left} ${base}L${x} ${tip}L${right} ${base}Z` }));
    const y = geometry.isTop(place) ? band / 2 : height - band / 2;
    parts.push(svg("text", { x, y, class: "number" }, String(numbers(place))));
  }
  target.replaceChildren(...parts);
}

/** Draw where a held checker may go: a dashed ring, a tab at the edge, a star where it hits. */
export function drawHints(target, geometry, destinations, origins) {
  target.setAttribute("viewBox", `0 0 ${geometry.width} ${geometry.height}`);
  const parts = [];
  for (const { place, count, hits } of destinations) {
    parts.push(...ring(geometry, place, hits ? 0 : count, "hint", !hits), edgeTab(geometry, place));
    if (hits) parts.push(star(geometry, place));
  }
  for (const { place, count } of origins) parts.push(...ring(geometry, place, count, "origin", false));
  target.replaceChildren(...parts);
}

/** Draw a play: a line for each step from where the checker stood, and rings there and where it stands now. */
export function drawPlay(target, geometry, steps, kind, countAt) {
  target.setAttribute("viewBox", `0 0 ${geometry.width} ${geometry.height}`);
  const radius = geometry.checker / 2;
  let [lines, starts, ends] = ["", "", ""];
  for (const { from, to } of steps) {
    const start = geometry.checkerAt(from, countAt(from), countAt(from) + 1);
    const last = Math.max(countAt(to) - 1, 0);
    const end = geometry.checkerAt(to, last, Math.max(countAt(to), 1));
    const length = Math.hypot(end.x - start.x, end.y - start.y) || 1;
    const [x, y] = [((end.x - start.x) * radius) / length, ((end.y - start.y) * radius) / length];
    if (length > geometry.checker) lines += `M${start.x + x} ${start.y + y}L${end.x - x} ${end.y - y}`;
    starts += circle(start, radius - 1);
    ends += circle(end, radius);
  }
  // One element for all that looks the same, which is kept: a play is drawn between two frames of an animation.
  const looks = { "line-under": lines, [`line ${kind}`]: lines, "ring-under": starts, [`ring ${kind} from`]: starts };
  const parts = Object.entries({ ...looks, [`ring ${kind}`]: ends });
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

/** Draw the ways of a play that is still to be made as arrows, each from the top checker of a place. */
export function drawArrows(target, geometry, ways, kind, countAt) {
  target.setAttribute("viewBox", `0 0 ${geometry.width} ${geometry.height}`);
  const changes = new Map();
  const countOn = (place) => Math.max(countAt(place) + (changes.get(place) ?? 0), 0);
  const change = (place, by) => changes.set(place, (changes.get(place) ?? 0) + by);
  const parts = [];
  for (const way of ways) {
    change(way[0], -1);
    const spots = way.map((place) => geometry.checkerAt(place, countOn(place), countOn(place) + 1));
    change(way.at(-1), 1);
    const points = spots.map(({ x, y }) => `${x},${y}`).join(" ");
    parts.push(svg("polyline", { class: "arrow-under", points }));
    parts.push(svg("polyline", { class: `arrow ${kind}`, points }), arrowHead(geometry, spots.at(-2), spots.at(-1)));
  }
  target.replaceChildren(...parts);
}

function arrowHead(geometry, from, to) {
  const angle = (Math.atan2(to.y - from.y, to.x - from.x) * 180) / Math.PI;
  const size = geometry.checker * 0.32;
  const points = `${size / 2},0 ${-size},${-size * 0.8} ${-size},${size * 0.8}`;
  return svg("polygon", { class: "arrow-head", points, transform: `translate(${to.x} ${to.y}) rotate(${angle})` });
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
