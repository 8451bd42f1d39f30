// Conveniences of the console; every link and form works without scripts.

import { showSteppers } from "../config/steppers.js";

const sheet = document.getElementById("sheet");

// A match opens in a dialog over the console instead of on its own page.
document.addEventListener("click", async (event) => {
  const link = event.target.closest("a[data-sheet]");
  if (!link || !sheet || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const response = await fetch(link.href, { headers: { "HX-Request": "true" } }).catch(() => null);
  if (!response?.ok || response.redirected) {
    location.href = link.href;
    return;
  }
  sheet.innerHTML = await response.text();
  sheet.prepend(closeButton());
  prepare(sheet);
  sheet.showModal();
  sheet.querySelector("#left")?.select();
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

function prepare(root) {
  showSteppers(root);
  for (const form of root.querySelectorAll("[data-steppers]")) nameResultOnSave(form);
}

// The button shows the result it saves, and the winner's next match.
function nameResultOnSave(form) {
  const { left, right } = form.elements;
  const save = form.querySelector(".save");
  const update = () => {
    const [a, b] = [Number(left.value), Number(right.value)];
    const winner = a > b ? form.dataset.left : form.dataset.right;
    const next = a === b ? "" : ` · ${winner}${form.dataset.to ? ` → ${form.dataset.to}` : ""}`;
    save.textContent = `${save.dataset.save} ${a}–${b}${next}`;
  };
  form.addEventListener("input", update);
  update();
}

prepare(document);

// Enter submits the line; Shift+Enter starts a new one.
document.getElementById("line")?.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
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
