/**
 * Buttons beside a number or a time that go one step down or up, and run while they are held.
 * Without scripts they stay hidden and the value is typed.
 */

const FIRST_REPEAT = 400;
const NEXT_REPEAT = 90;
const DAY = 24 * 60;
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
  const direction = Number(button.dataset.step);
  if (input.dataset.clock) input.value = clockAfter(input.value, Number(input.dataset.clock), direction);
  else if (direction > 0) input.stepUp();
  else input.stepDown();
  input.dispatchEvent(new Event("input", { bubbles: true }));
}

/** The next or the last time on the clock that is a multiple of so many minutes, over midnight as well. */
function clockAfter(text, minutes, direction) {
  const [hours, rest] = text.split(":").map(Number);
  const now = (hours || 0) * 60 + (rest || 0);
  const steps = direction > 0 ? Math.floor(now / minutes) + 1 : Math.ceil(now / minutes) - 1;
  const then = (steps * minutes + DAY) % DAY;
  return [Math.floor(then / 60), then % 60].map((part) => String(part).padStart(2, "0")).join(":");
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
