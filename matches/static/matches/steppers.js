/** Large buttons beside a number: one less, one more. Without scripts the number is typed. */

for (const stepper of document.querySelectorAll("[data-stepper]")) {
  const input = stepper.querySelector("input");
  for (const button of stepper.querySelectorAll("[data-step]")) {
    button.hidden = false;
    button.addEventListener("click", () => {
      if (Number(button.dataset.step) > 0) input.stepUp();
      else input.stepDown();
    });
  }
}
