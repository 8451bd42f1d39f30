// Sentences of the template, with values filled in where they have {names}.

const dictionary = document.getElementById("words").dataset;

/** Fill the places of a sentence. */
export function fillIn(sentence, values) {
  return sentence.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}

/** Return the sentence of a name in the template's list; `waiting-roll` is `waitingRoll` here. */
export function words(name, values = {}) {
  return fillIn(dictionary[name] ?? "", values);
}

/** Return a sentence of the template's list with its places unfilled. */
export function pattern(name) {
  return dictionary[name] ?? "";
}

/** Write the texts of all elements below `root` that have a `data-text`. */
export function fill(root, values) {
  for (const element of root.querySelectorAll("[data-text]")) {
    const text = fillIn(element.dataset.text, values);
    if (element.textContent !== text) element.textContent = text;
  }
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
