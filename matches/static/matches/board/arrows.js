/* Arrows for plays still to be made, as in a replay; loaded where there are any. */

import { svg } from "./surface.js";

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
