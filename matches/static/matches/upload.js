/** The drop zone: a dropped file is sent at once; what cannot be read is told before it is sent. */

const form = document.querySelector("[data-upload]");
const zone = form.querySelector("[data-drop]");
const input = form.querySelector("input[type=file]");
const text = form.querySelector("textarea");
const alert = form.querySelector("[data-error]");
const button = form.querySelector("[data-submit]");
const busy = form.querySelector("[data-busy]");
const most = Number(form.dataset.most);

function fault() {
  const file = input.files[0];
  if (!file && !text.value.trim()) return "missing";
  const size = file ? file.size : new Blob([text.value]).size;
  if (size === 0) return "empty";
  return size > most ? "large" : "";
}

function tell(code) {
  alert.hidden = !code;
  alert.querySelector("span").textContent = code ? form.querySelector(`[data-say-${code}]`).textContent : "";
}

form.addEventListener("submit", (event) => {
  const code = fault();
  tell(code);
  if (code) {
    event.preventDefault();
    return;
  }
  // Disabled fields are not sent, so only the button is.
  button.disabled = true;
  busy.hidden = false;
});

// A page that comes back from the history must be usable again.
window.addEventListener("pageshow", () => {
  button.disabled = false;
  busy.hidden = true;
});

input.addEventListener("change", () => tell(input.files.length ? fault() : ""));

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
// Anywhere on the page: a file that misses the zone must not replace the page.
document.addEventListener("drop", (event) => {
  if (!hasFile(event)) return;
  event.preventDefault();
  depth = 0;
  zone.classList.remove("is-over");
  input.files = event.dataTransfer.files;
  text.value = "";
  form.requestSubmit();
});
