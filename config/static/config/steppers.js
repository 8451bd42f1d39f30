/** Buttons beside a number that subtract or add one. Without scripts they stay hidden and the number is typed. */

export function showSteppers(root) {
  for (const button of root.querySelectorAll("[data-stepper] [data-step][hidden]")) button.hidden = false;
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-stepper] [data-step]");
  if (!button) return;
  const input = button.closest("[data-stepper]").querySelector("input");
  if (Number(button.dataset.step) > 0) input.stepUp();
  else input.stepDown();
  // Scripts and htmx see the change as if it were typed.
  for (const type of ["input", "change"]) input.dispatchEvent(new Event(type, { bubbles: true }));
});

showSteppers(document);
document.addEventListener("htmx:load", (event) => showSteppers(event.target));
