// Conveniences of the floor; every link and form works without scripts.

import { keep } from "../../matches/play/kept.js";

const main = document.querySelector(".floor-main");
const sheet = document.getElementById("sheet");
const TAB = "floor-tab";

// On a phone one part is shown at a time. The choice outlives live updates, and the page (tab.js).
function show(tab) {
  if (!main) return;
  main.dataset.tab = tab;
  for (const button of document.querySelectorAll("[data-show]")) {
    button.setAttribute("aria-pressed", String(button.dataset.show === tab));
  }
}

show(main?.dataset.tab);
document.addEventListener("htmx:afterSwap", ({ detail }) => {
  if (!main) return;
  if (detail.target.matches(".chosen-pair")) detail.target.scrollIntoView({ block: "nearest" });
  show(main.dataset.tab);
  outline();
  countDown();
});

// The time in which nothing follows from a result shrinks, from what was left of it when the page was made.
function countDown() {
  const bar = document.querySelector(".floor-undo-time:not(.is-running)");
  if (!bar) return;
  bar.style.animationDuration = `${bar.dataset.left}ms`;
  bar.classList.add("is-running");
  const form = bar.closest("form");
  setTimeout(() => form.classList.remove("is-fresh"), Number(bar.dataset.left));
}

countDown();
setInterval(() => {
  for (const state of document.querySelectorAll("[data-seconds]")) {
    state.dataset.seconds = Math.max(0, Number(state.dataset.seconds) - 1);
    state.lastChild.textContent = state.lastChild.textContent.replace(/\d+/, state.dataset.seconds);
  }
}, 1000);

// The server sends only the parts that differ from those with these versions.
document.addEventListener("htmx:configRequest", (event) => {
  const versions = document.getElementById("floor-versions");
  if (versions?.parentElement.contains(event.detail.elt)) {
    event.detail.headers["Floor-Versions"] = versions.dataset.versions;
  }
});

// A message goes with the next change of the floor, but stays long enough to be read.
const READ = 6_000; // ms
let saidAt = -Infinity;
let silence = 0;
document.addEventListener("htmx:oobBeforeSwap", ({ detail }) => {
  if (detail.target.id !== "floor-messages") return;
  clearTimeout(silence);
  const left = saidAt + READ - Date.now();
  if (detail.fragment.querySelector(".message")) saidAt = Date.now();
  else if (left > 0) {
    detail.shouldSwap = false;
    silence = setTimeout(() => document.getElementById("floor-messages").replaceChildren(), left);
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
  if (tab?.dataset.show) {
    keep("session", TAB, tab.dataset.show);
    show(tab.dataset.show);
    scrollTo(0, 0);
    if (tab.dataset.show === "more") document.getElementById("line")?.focus({ preventScroll: true });
  }
});

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
