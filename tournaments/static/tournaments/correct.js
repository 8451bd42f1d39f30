// Conveniences of the correction page; its form works without scripts.

import "../config/steppers.js";

const form = document.querySelector("[data-correct]");

// The score of a played match decides who won. Who chooses the other player turns the score round, since a result that
// was entered the wrong way round is what is corrected most.
function followScore(event) {
  const { left, right, kind, winner } = form.elements;
  if (kind.value !== "played" || left.value === right.value) return;
  const byScore = Number(left.value) > Number(right.value) ? "0" : "1";
  if (event.target.name !== "winner") {
    winner.value = byScore;
  } else if (winner.value !== byScore && ["0", "1"].includes(winner.value)) {
    [left.value, right.value] = [right.value, left.value];
  }
}

function enableChoices(enabled) {
  for (const field of document.querySelectorAll("#apply [name=choice], #apply button")) field.disabled = !enabled;
}

if (form) {
  form.addEventListener("change", followScore, true);
  // The response replaces the choices, so they are disabled while it is awaited.
  form.addEventListener("htmx:beforeRequest", () => enableChoices(false));
  form.addEventListener("htmx:afterRequest", () => enableChoices(true));
}
