/**
 * Buttons that copy the text in their `data-copy`. Without scripts, or without access to the clipboard, they stay
 * hidden and the text beside them can be selected.
 */

const CONFIRMED_FOR = 1500; // milliseconds

export function showCopyButtons(root) {
  if (!navigator.clipboard) return;
  for (const button of root.querySelectorAll("[data-copy][hidden]")) button.hidden = false;
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button || button.dataset.label) return;
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
  } catch {
    // Without permission the text can still be selected.
    return;
  }
  button.dataset.label = button.textContent;
  button.textContent = `✓ ${button.textContent.trim()}`;
  setTimeout(() => {
    button.textContent = button.dataset.label;
    delete button.dataset.label;
  }, CONFIRMED_FOR);
});

// A field with the text is selected as a whole.
document.addEventListener("focusin", (event) => event.target.closest("input[readonly]")?.select());

document.addEventListener("htmx:afterSettle", () => showCopyButtons(document));
showCopyButtons(document);
