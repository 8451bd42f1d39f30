/* The dice and the cube. */

import { circle, svg } from "./surface.js";

// Positions of the pips in thirds of a die, for one to six.
const PIPS = [
  [[1, 1]],
  [[0, 0], [2, 2]],
  [[0, 0], [1, 1], [2, 2]],
  [[0, 0], [0, 2], [2, 0], [2, 2]],
  [[0, 0], [0, 2], [1, 1], [2, 0], [2, 2]],
  [[0, 0], [0, 1], [0, 2], [2, 0], [2, 1], [2, 2]],
];

/** Draw dice `{die, used}` into their button, in the middle of their player's half. */
export function drawDice(button, geometry, dice, { isNear, isLight }) {
  button.hidden = dice.length === 0;
  if (dice.length === 0) return;
  const size = geometry.dieSize;
  const gap = size * 0.28;
  const width = dice.length * size + (dice.length - 1) * gap;
  const picture = `${dice.length} ${size}`;
  if (button.dataset.picture !== picture) {
    button.replaceChildren(blankDice(dice.length, { size, gap, width }));
    button.dataset.picture = picture;
  }
  for (const [index, group] of [...button.firstChild.children].entries()) {
    group.classList.toggle("used", dice[index].used);
    group.lastChild.setAttribute("d", pips(dice[index].die, size));
  }
  button.classList.toggle("light", isLight);
  button.classList.toggle("dark", !isLight);
  const { x, y } = geometry.diceAt(isNear);
  const padding = Math.max((44 - size) / 2, 4);
  button.style.padding = `${padding}px`;
  button.style.transform = `translate(${x - width / 2 - padding}px, ${y - size / 2 - padding}px)`;
}

/** Return a picture of dice without pips, which is filled in for each roll: to lay out a new one takes far longer. */
function blankDice(count, { size, gap, width }) {
  const picture = svg("svg", { width, height: size, viewBox: `0 0 ${width} ${size}`, "aria-hidden": "true" });
  for (let index = 0; index < count; index += 1) {
    const group = svg("g", { class: "die", transform: `translate(${index * (size + gap)} 0)` });
    group.append(svg("rect", { x: 1, y: 1, width: size - 2, height: size - 2, rx: size * 0.14 }), svg("path"));
    picture.append(group);
  }
  return picture;
}

function pips(die, size) {
  const center = (third) => size * (0.24 + 0.26 * third);
  return PIPS[die - 1].map(([column, row]) => circle({ x: center(column), y: center(row) }, size * 0.085)).join("");
}

/** Draw the cube `{face, owner, offered, dimmed}`; `face` is the number on it. `owner`: "near", "far" or null. */
export function drawCube(element, geometry, cube) {
  element.hidden = !cube;
  if (!cube) return;
  const size = cube.offered ? Math.max(geometry.cubeSize() * 1.3, 34) : geometry.cubeSize();
  if (element.textContent !== String(cube.face)) element.textContent = String(cube.face);
  element.classList.toggle("dimmed", Boolean(cube.dimmed));
  element.classList.toggle("offered", Boolean(cube.offered));
  const { x, y } = geometry.cubeAt(cube.offered ? "offered" : cube.owner);
  element.style.setProperty("--cube", `${size}px`);
  element.style.transform = `translate(${x - size / 2}px, ${y - size / 2}px)`;
}
