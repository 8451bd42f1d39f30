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

const SIZE = 100; // Of a die in the units of its picture.
const TILTS = [-7, 11, -4, 8]; // Degrees.
const THROW = 420; // Milliseconds.

/** Draw dice `{die, used}` into their button, in the middle of their player's half. Equal seeds make equal tilts. */
export function drawDice(button, geometry, dice, { isNear, isLight, seed = 0 }) {
  button.hidden = dice.length === 0;
  if (dice.length === 0) return;
  const size = geometry.dieSize;
  while (button.children.length > dice.length) button.lastChild.remove();
  while (button.children.length < dice.length) button.append(blankDie());
  for (const [index, { die, used }] of dice.entries()) {
    const picture = button.children[index];
    picture.classList.toggle("used", used);
    showFace(picture, die);
    picture.style.rotate = `${TILTS[index] + ((seed * 5 + index * 3) % 7) - 3}deg`;
    picture.style.translate = `0 ${(((seed * 3 + index * 5) % 9) - 4) * 1.5}%`;
  }
  button.classList.toggle("light", isLight);
  button.classList.toggle("dark", !isLight);
  const { x, y } = geometry.diceAt(isNear);
  const padding = Math.max((44 - size) / 2, 4);
  const width = dice.length * size * 1.3 - size * 0.3;
  button.style.setProperty("--die", `${size}px`);
  button.style.padding = `${padding}px`;
  button.style.transform = `translate(${x - width / 2 - padding}px, ${y - size / 2 - padding}px)`;
}

/** Let dice that are drawn come to rest from where they were thrown: `by` pixels aside. */
export function throwDice(pictures, by) {
  for (const [index, picture] of [...pictures].entries()) {
    const frames = [
      { transform: `translate(${by}px, ${-24 - 16 * index}px) rotate(${-260 - 40 * index}deg) scale(0.7)` },
      { transform: `translate(${by * 0.1}px, 5px) rotate(-20deg)`, offset: 0.5 },
      { transform: "translate(0, -7px) rotate(9deg)", offset: 0.72 },
      { transform: "none" },
    ];
    picture.animate(frames, { duration: THROW, easing: "ease-out" });
  }
}

/** Return a die without pips, which is filled in for each roll: to lay out a new one takes far longer. */
export function blankDie() {
  const picture = svg("svg", { class: "die", viewBox: `0 0 ${SIZE} ${SIZE}`, "aria-hidden": "true" });
  picture.append(svg("path"));
  return picture;
}

export function showFace(picture, die) {
  const center = (third) => SIZE * (0.23 + 0.27 * third);
  const spots = PIPS[die - 1].map(([column, row]) => circle({ x: center(column), y: center(row) }, SIZE * 0.088));
  picture.firstChild.setAttribute("d", spots.join(""));
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
