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
}
