/** Counts down how long the start of the evening can be undone, and takes the bar away when that is over. */

const bar = document.querySelector(".undo-start");

if (bar) {
  const whole = 60_000;
  const ends = performance.now() + Number(bar.dataset.seconds) * 1000;
  const button = bar.querySelector("button");
  const timer = setInterval(show, 250);
  show();

  function show() {
    const left = ends - performance.now();
    if (left <= 0) {
      clearInterval(timer);
      bar.remove();
      return;
    }
    button.textContent = bar.dataset.label.replace("{seconds}", Math.ceil(left / 1000));
    bar.querySelector(".undo-start-bar").style.transform = `scaleX(${Math.min(1, left / whole)})`;
  }
}
