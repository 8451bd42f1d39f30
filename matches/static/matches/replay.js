/**
 * Fast navigation in a replay: steps are fetched instead of loaded, neighbouring steps in advance, and keys move through
 * the match. Every step is an ordinary link of the page; this script only follows these links.
 */

import { showCopyButtons } from "../config/copy.js";

const AUTOPLAY_EVERY = 1600;
const MOST_KEPT = 60;
const KEYS = {
  ArrowLeft: "previous",
  ArrowRight: "next",
  ArrowUp: "previous_game",
  ArrowDown: "next_game",
  Home: "first",
  End: "last",
  f: "flip",
  F: "flip",
};

const frame = document.getElementById("replay");
const announcement = document.getElementById("replay-said");
const kept = new Map();
let timer = 0;
let asked = 0;

const link = (name) => frame.querySelector(`a[data-step="${name}"]`);

function load(url) {
  let text = kept.get(url);
  if (!text) {
    text = fetch(url, { headers: { "HX-Request": "true" } }).then((response) => {
      if (!response.ok) throw new Error(`${response.status} for ${url}`);
      return response.text();
    });
    text.catch(() => kept.delete(url));
    kept.set(url, text);
    if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value);
  }
  return text;
}

async function go(url) {
  const mine = ++asked;
  let html;
  try {
    html = await load(url);
  } catch {
    // The request failed: load the page normally, so that the browser shows the problem.
    location.assign(url);
    return;
  }
  if (mine !== asked) return;
  const focused = document.activeElement?.closest?.("#replay [data-step], #replay [data-autoplay]");
  const name = focused?.dataset.step ?? (focused ? "autoplay" : "");
  frame.innerHTML = html;
  history.replaceState(null, "", url);
  settle(name);
}

/** Set up a new step: show its buttons, scroll to the current move, restore the focus and prefetch the neighbours. */
function settle(focus = "") {
  showCopyButtons(frame);
  const button = frame.querySelector("[data-autoplay]");
  button.hidden = false;
  button.setAttribute("aria-pressed", String(timer !== 0));
  const moves = frame.querySelector("[data-moves]");
  const current = moves.querySelector("[aria-current]");
  if (current) moves.scrollTop = current.offsetTop - moves.offsetTop - moves.clientHeight / 2;
  if (focus === "move") current?.focus({ preventScroll: true });
  else if (focus === "autoplay") button.focus({ preventScroll: true });
  else if (focus) (link(focus) ?? button).focus({ preventScroll: true });
  if (!timer) announcement.textContent = frame.querySelector("[data-replay]").dataset.said;
  for (const side of ["next", "previous"]) {
    const near = link(side);
    if (near) load(near.href).catch(() => {});
  }
}

function autoplay(on) {
  clearInterval(timer);
  timer = 0;
  if (on && link("next")) {
    timer = setInterval(() => {
      const next = link("next");
      if (next && !document.hidden) go(next.href);
      else autoplay(false);
    }, AUTOPLAY_EVERY);
    go(link("next").href);
  }
  frame.querySelector("[data-autoplay]").setAttribute("aria-pressed", String(timer !== 0));
}

frame.addEventListener("click", (event) => {
  if (event.target.closest("[data-autoplay]")) {
    autoplay(timer === 0);
    return;
  }
  const step = event.target.closest("a[data-step]");
  if (!step || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  if (step.dataset.step !== "flip") autoplay(false);
  go(step.href);
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, textarea, select")) return;
  if (event.key === " " && !event.target.closest("a, button, summary")) {
    event.preventDefault();
    autoplay(timer === 0);
    return;
  }
  const step = KEYS[event.key] && link(KEYS[event.key]);
  if (!KEYS[event.key]) return;
  event.preventDefault();
  if (!step) return;
  if (KEYS[event.key] !== "flip") autoplay(false);
  go(step.href);
});

settle();
