/** Buttons that copy what their data-copy holds; without scripts they stay hidden and the text can be selected. */

const SAID_FOR = 1500;

export function show(root) {
  if (!navigator.clipboard) return;
  for (const button of root.querySelectorAll("[data-copy][hidden]")) button.hidden = false;
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  await navigator.clipboard.writeText(button.dataset.copy);
  const label = button.textContent;
  button.textContent = "✓ " + label.replace(/^✓ /, "");
  setTimeout(() => { button.textContent = label; }, SAID_FOR);
});

document.addEventListener("htmx:afterSettle", () => show(document));
show(document);
