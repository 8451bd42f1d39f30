/** The drop zone of an upload form: a dropped file is sent at once (with `data-at-once` a chosen one, too), unless it is empty or too large. */

const form = document.querySelector("[data-upload]");
const zone = form.querySelector("[data-drop]");
const input = form.querySelector("input[type=file]");
const text = form.querySelector("textarea");
const alert = form.querySelector("[data-error]");
const button = form.querySelector("[data-submit]");
const busy = form.querySelector("[data-busy]");
const most = Number(form.dataset.most);

function problem() {
  const file = input.files[0];
  if (!file && !text.value.trim()) return "missing";
  const size = file ? file.size : new Blob([text.value]).size;
  if (size === 0) return "empty";
  return size > most ? "large" : "";
}

function showProblem(code) {
  alert.hidden = !code;
  alert.querySelector("span").textContent = code ? form.querySelector(`[data-say-${code}]`).textContent : "";
  alert.scrollIntoView({ block: "nearest" });
}

form.addEventListener("submit", (event) => {
  const code = problem();
  showProblem(code);
  if (code) {
    event.preventDefault();
    return;
  }
  // Disable only the button: disabled fields would not be sent.
  button.disabled = true;
  busy.hidden = false;
});

// Make the page usable again when it is restored from the history.
window.addEventListener("pageshow", () => {
  button.disabled = false;
  busy.hidden = true;
});

input.addEventListener("change", () => {
  const code = input.files.length ? problem() : "";
  showProblem(code);
  if (input.files.length && !code && "atOnce" in form.dataset) form.requestSubmit();
});

// Where a chosen file is sent at once, only a text that is pasted needs the button.
if ("atOnce" in form.dataset) {
  const paste = text.closest("details");
  button.hidden = !paste.open;
  paste.addEventListener("toggle", () => {
    button.hidden = !paste.open;
  });
}

let depth = 0;
const hasFile = (event) => event.dataTransfer?.types.includes("Files");

document.addEventListener("dragenter", (event) => {
  if (!hasFile(event)) return;
  depth += 1;
  zone.classList.add("is-over");
});
document.addEventListener("dragleave", () => {
  depth = Math.max(0, depth - 1);
  if (!depth) zone.classList.remove("is-over");
});
document.addEventListener("dragover", (event) => {
  if (hasFile(event)) event.preventDefault();
});
// A file dropped outside the zone must not replace the page.
document.addEventListener("drop", (event) => {
  if (!hasFile(event)) return;
  event.preventDefault();
  depth = 0;
  zone.classList.remove("is-over");
  input.files = event.dataTransfer.files;
  text.value = "";
  form.requestSubmit();
});
