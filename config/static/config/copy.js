/**
 * Buttons that copy the text in their `data-copy`. Without scripts they stay hidden, and the text beside them can be
 * selected. Over plain HTTP there is no `navigator.clipboard`; the older command works there.
 */

const CONFIRMED_FOR = 1500; // milliseconds

export function showCopyButtons(root) {
  for (const button of root.querySelectorAll("[data-copy][hidden]")) button.hidden = false;
}

async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const field = Object.assign(document.createElement("textarea"), { value: text, readOnly: true });
  const focused = document.activeElement;
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand("copy");
  field.remove();
  focused?.focus({ preventScroll: true });
  if (!isCopied) throw new Error("not copied");
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button || button.dataset.label) return;
  try {
    await copy(button.dataset.copy);
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
