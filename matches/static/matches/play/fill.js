// Sentences of the template, with values filled in where they have {names}.

import { fillIn } from "../../config/names.js";

export { fillIn };

const dictionary = document.getElementById("words").dataset;

/** Return the sentence of a name in the template's list; `waiting-roll` is `waitingRoll` here. */
export function words(name, values = {}) {
  return fillIn(dictionary[name] ?? "", values);
}

/** Write the texts of all elements below `root` that have a `data-text`. */
export function fill(root, values) {
  for (const element of root.querySelectorAll("[data-text]")) {
    const text = fillIn(element.dataset.text, values);
    if (element.textContent !== text) element.textContent = text;
  }
}

/** Return a number in the reader's language, with the options of `Intl.NumberFormat`. */
export function number(value, options) {
  return value.toLocaleString(document.documentElement.lang, options);
}

/** Return the labels of a board for screen readers, as the side `near` sees it. */
export function boardLabels(names, near) {
  // The board fills in the others.
  const of = (label, side) => words(label, { place: "{place}", count: "{count}", name: names[side] });
  const far = 1 - near;
  return {
    ...dictionary,
    near: of("checkers", near),
    far: of("checkers", far),
    bar: of("bar", near),
    farBar: of("bar", far),
    off: of("off", near),
    farOff: of("off", far),
  };
}

const MAX_LETTERS = 10;

/** Return what two players are called where there is little room: by the first part of a long name. */
export function shortNames(names) {
  const short = names.map((name) => (name.length > MAX_LETTERS ? name.split(" ")[0] : name));
  return short[0] === short[1] ? names : short;
}

/** Show milliseconds as minutes and seconds, or as hours and minutes for long ones. */
export function duration(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const two = (number) => String(number).padStart(2, "0");
  if (seconds < 3600) return `${Math.floor(seconds / 60)}:${two(seconds % 60)}`;
  return `${Math.floor(seconds / 3600)}:${two(Math.floor((seconds % 3600) / 60))}:${two(seconds % 60)}`;
}

/** Show a score with the given side's points first. */
export function score(points, near) {
  return near === 1 ? `${points[1]}–${points[0]}` : `${points[0]}–${points[1]}`;
}
