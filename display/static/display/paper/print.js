/** The print button of a printed page; `data-now` opens the print dialog as soon as its typeface is here. */

const button = document.querySelector("[data-print]");
button?.addEventListener("click", () => window.print());
if (button && "now" in button.dataset) {
  // Not again when the page is reloaded or visited by the back button.
  const url = new URL(location.href);
  url.searchParams.delete("print");
  history.replaceState(history.state, "", url);
  addEventListener("load", () => document.fonts.ready.then(() => window.print()), { once: true });
}
