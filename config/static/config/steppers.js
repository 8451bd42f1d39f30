/**
 * Buttons beside a number or a time that go one step down or up, and run while they are held.
 * Without scripts they stay hidden and the value is typed.
 */

const FIRST_REPEAT = 400;
const NEXT_REPEAT = 90;
let held = 0;
let hasRun = false;

export function showSteppers(root) {
  for (const button of root.querySelectorAll("[data-stepper] [data-step][hidden]")) button.hidden = false;
}

function inputOf(button) {
  return button.closest("[data-stepper]").querySelector("input");
}

function step(button) {
  const input = inputOf(button);
  const before = input.value;
  const isUp = Number(button.dataset.step) > 0;
  if (isUp) input.stepUp();
  else input.stepDown();
  // A clock goes on over midnight.
  if (input.type === "time" && input.value === before) {
    input.value = isUp ? "00:00" : "23:59";
    if (!isUp) input.stepDown();
  }
  input.dispatchEvent(new Event("input", { bubbles: true }));
}

/** Scripts and htmx see the change as if it were typed. */
function finish(button) {
  inputOf(button).dispatchEvent(new Event("change", { bubbles: true }));
}

function repeat(button) {
  hasRun = true;
  step(button);
  held = setTimeout(repeat, NEXT_REPEAT, button);
}

document.addEventListener("pointerdown", (event) => {
  const button = event.target.closest("[data-stepper] [data-step]");
  hasRun = false;
  if (button) held = setTimeout(repeat, FIRST_REPEAT, button);
});
for (const type of ["pointerup", "pointercancel"]) document.addEventListener(type, () => clearTimeout(held));

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-stepper] [data-step]");
  if (!button) return;
  if (!hasRun) step(button);
  hasRun = false;
  finish(button);
});

showSteppers(document);
document.addEventListener("htmx:load", (event) => showSteppers(event.target));
