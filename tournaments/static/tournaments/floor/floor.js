// Conveniences of the floor; every link and form works without scripts.

const main = document.querySelector(".floor-main");
const sheet = document.getElementById("sheet");
const TAB = "floor-tab";

// On a phone one part is shown at a time. The choice outlives live updates, and the page.
function show(tab) {
  if (!main) return;
  main.dataset.tab = tab;
  for (const button of document.querySelectorAll("[data-show]")) {
    button.setAttribute("aria-pressed", String(button.dataset.show === tab));
  }
}

show(sessionStorage.getItem(TAB) ?? "tables");
document.addEventListener("htmx:afterSwap", () => {
  if (!main) return;
  show(main.dataset.tab);
  outline();
});

// The server sends only the parts that differ from those with these versions.
document.addEventListener("htmx:configRequest", (event) => {
  const versions = document.getElementById("floor-versions");
  if (versions?.parentElement.contains(event.detail.elt)) {
    event.detail.headers["Floor-Versions"] = versions.dataset.versions;
  }
});

// The table that a typed line is about is outlined.
function outline() {
  const id = document.querySelector("[data-outline]")?.dataset.outline;
  for (const card of document.querySelectorAll(".floor-card")) {
    card.classList.toggle("is-outlined", Boolean(id) && card.id === `table-${id}`);
  }
}

document.addEventListener("click", (event) => {
  const tab = event.target.closest("[data-show]");
  if (tab) {
    sessionStorage.setItem(TAB, tab.dataset.show);
    show(tab.dataset.show);
    scrollTo(0, 0);
    if (tab.dataset.show === "more") document.getElementById("line")?.focus({ preventScroll: true });
  }
  const mode = event.target.closest("[data-mode]");
  if (mode) choose(mode.closest(".sheet"), mode.dataset.mode);
});

// The sheet of a match shows the running score or the final result.
function choose(root, mode) {
  for (const button of root.querySelectorAll("[data-mode]")) {
    button.setAttribute("aria-pressed", String(button.dataset.mode === mode));
  }
  for (const form of root.querySelectorAll("[data-for]")) form.hidden = form.dataset.for !== mode;
}

// What follows from the result is said for the side that would win.
function prepare(root) {
  const modes = root.querySelector("[data-modes]");
  if (!modes || !modes.hidden) return;
  if (root.querySelector("[data-for='running']")) {
    modes.hidden = false;
    choose(root, "final");
  }
  const form = root.querySelector("[data-for='final']");
  const update = () => {
    const [left, right] = [Number(form.elements.left.value), Number(form.elements.right.value)];
    const winner = left === right ? "" : String(Number(right > left));
    for (const text of form.querySelectorAll("[data-then]")) text.hidden = text.dataset.then !== winner;
  };
  form.addEventListener("input", update);
  update();
}

prepare(document);
if (sheet) new MutationObserver(() => prepare(sheet)).observe(sheet, { childList: true });

// Keys: c calls what is suggested, u undoes, 1–9 opens a table, g with n, t, x, f goes to a part.
const CLICKS = { c: "floor-call", u: "floor-undo" };
const PARTS = { n: "needs", t: "tables", x: "next", f: "forecast" };
let going = false;

document.addEventListener("keydown", (event) => {
  if (!main || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, textarea, select, dialog")) return;
  if (going && PARTS[event.key]) {
    const part = document.querySelector(`[data-panel="${PARTS[event.key]}"]`);
    if (part) {
      show(PARTS[event.key]);
      part.querySelector("a, button")?.focus();
    }
  } else if (CLICKS[event.key]) {
    document.getElementById(CLICKS[event.key])?.click();
  } else if (/^[1-9]$/.test(event.key)) {
    document.querySelectorAll(".floor-card")[Number(event.key) - 1]?.focus();
  }
  going = event.key === "g";
});
