// The button names the result, once the winner and the points of the other player are chosen. A known running score
// chooses the points of the side that is behind, until somebody taps other ones. Without scripts the button has its
// own label, and the browser asks for what is missing.

import { fillIn } from "../../config/names.js";

export function prepareResult(root) {
  for (const form of root.querySelectorAll("form[data-result]:not([data-prepared])")) prepare(form);
}

function prepare(form) {
  form.dataset.prepared = "yes";
  const { winner, points } = form.elements;
  const save = form.querySelector(".save");
  const label = save.textContent;
  const running = form.dataset.running.split(",");
  let isChosen = false;
  const update = (event) => {
    if (event?.target.name === "points") isChosen = true;
    if (event?.target.name === "winner" && !isChosen && running[0] !== running[1]) {
      points.value = running[1 - Number(winner.value)];
    }
    const chosen = form.querySelector("[name='winner']:checked");
    const isComplete = Boolean(chosen) && form.querySelector("[name='points']:checked") !== null;
    save.disabled = !isComplete;
    if (!isComplete) save.textContent = label;
    else {
      const score = `${form.dataset.length}–${form.querySelector("[name='points']:checked").value}`;
      save.textContent = fillIn(chosen.dataset.outcome, { name: chosen.dataset.name, score });
    }
  };
  form.addEventListener("change", update);
  update();
}

prepareResult(document);
document.addEventListener("htmx:load", (event) => prepareResult(event.target));
