// A bar that calls the reader to a page: the title and the icon of the tab say so, too, and a new one is heard. A page that
// waits for one (data-follows-calls) goes there by itself.

import { markTab, playSound } from "../matches/play/alerts.js";

const bar = () => document.querySelector("[data-call]");
let known = bar()?.dataset.call;

function show() {
  const call = bar();
  markTab(Boolean(call), call?.dataset.icon, call?.ariaLabel);
  if (!call || call.dataset.call === known) return;
  known = call.dataset.call;
  // Browsers let a page be heard only once its reader has touched it.
  if (navigator.userActivation?.hasBeenActive) playSound("here");
  if (document.querySelector("[data-follows-calls]")) location.assign(call.querySelector("a").href);
}

document.addEventListener("htmx:afterSettle", show);
show();
