// Conveniences of the console; every link and form works without scripts.

import { ask } from "../config/ours.js";
import { prepareResult } from "../matches/reporting/result.js";

const PATIENCE = 4_000; // ms in which a server answers to which there is a line

const sheet = document.getElementById("sheet");

// A match opens in a dialog over the console instead of on its own page.
document.addEventListener("click", async (event) => {
  const link = event.target.closest("a[data-sheet]");
  if (!link || !sheet || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const headers = { "HX-Request": "true" };
  const response = await ask(link.href, { headers, signal: AbortSignal.timeout(PATIENCE) }).catch(() => null);
  if (!response?.ok || response.redirected) {
    // A page that can do without the server opens what it has instead.
    const unreachable = new CustomEvent("sheet:unreachable", { bubbles: true, cancelable: true });
    if (response || link.dispatchEvent(unreachable)) location.href = link.href;
    return;
  }
  sheet.innerHTML = await response.text();
  sheet.prepend(closeButton());
  prepareResult(sheet);
  sheet.showModal();
  document.dispatchEvent(new CustomEvent("sheet:opened"));
});

function closeButton() {
  const form = document.createElement("form");
  form.method = "dialog";
  form.className = "sheet-close";
  const button = document.createElement("button");
  button.className = "button-plain";
  button.textContent = sheet.dataset.close;
  form.append(button);
  return form;
}

sheet?.addEventListener("click", (event) => {
  if (event.target === sheet) sheet.close();
});

// Enter submits the line, which an answer may replace; Shift+Enter starts a new one.
document.addEventListener("keydown", (event) => {
  if (event.target.id !== "line" || event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  event.target.form.requestSubmit();
});

// "/" focuses the line from anywhere on the page.
document.addEventListener("keydown", (event) => {
  const line = document.getElementById("line");
  if (event.key !== "/" || !line || event.target.closest("input, textarea, select, dialog")) return;
  event.preventDefault();
  line.focus();
});
