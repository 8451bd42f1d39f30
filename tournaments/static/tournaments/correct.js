// Comforts of the correction page; its form works without them.

const form = document.querySelector("[data-correct]");

function told(field) {
  field.dispatchEvent(new Event("change", { bubbles: true }));
}

// Of a match that was played the score says who won.
function followScore() {
  const { left, right, kind, winner } = form.elements;
  if (kind.value !== "played" || left.value === right.value) return;
  winner.value = Number(left.value) > Number(right.value) ? "0" : "1";
}

function enableChoices(enabled) {
  for (const field of document.querySelectorAll("#apply [name=choice], #apply button")) field.disabled = !enabled;
}

if (form) {
  for (const button of form.querySelectorAll("[data-step]")) {
    button.hidden = false;
    button.addEventListener("click", () => {
      const field = form.elements[button.dataset.for];
      field.value = Math.max(0, Number(field.value) + Number(button.dataset.step));
      told(field);
    });
  }
  form.addEventListener("change", followScore, true);
  // The answer replaces the choices, so nothing can be chosen that it would undo.
  form.addEventListener("htmx:beforeRequest", () => enableChoices(false));
  form.addEventListener("htmx:afterRequest", () => enableChoices(true));
}
