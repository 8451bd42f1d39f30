// Says while a page of the staff is visible that it is here, and once it is hidden or closed that it was left: an
// autopilot waits for a desk that has lost its connection, not for one that was closed. Each return has a new name,
// since what is still under way of an earlier one no longer counts.

import { ask } from "../../config/ours.js";

const HERE_EVERY = 50_000; // ms; the server waits for 150 s
const AGAIN = 10_000; // ms after a sign that did not arrive
const PATIENCE = 4_000; // ms

const { url, csrf } = document.getElementById("desk").dataset;
let page = "";
let timer = 0;

function sign(left = {}) {
  const form = new FormData();
  for (const [name, value] of Object.entries({ csrfmiddlewaretoken: csrf, page, ...left })) form.append(name, value);
  return form;
}

async function say() {
  clearTimeout(timer);
  const own = page;
  const request = { method: "POST", body: sign(), redirect: "error", signal: AbortSignal.timeout(PATIENCE) };
  const { ok } = await ask(url, request).catch(() => ({ ok: false }));
  if (page !== own) return;
  clearTimeout(timer);
  timer = setTimeout(say, ok ? HERE_EVERY : AGAIN);
}

function come() {
  if (page || document.hidden) return;
  page = Math.random().toString(36).slice(2, 14);
  say();
}

function leave() {
  if (!page) return;
  clearTimeout(timer);
  navigator.sendBeacon(url, sign({ left: "on" }));
  page = "";
}

document.addEventListener("visibilitychange", () => (document.hidden ? leave() : come()));
addEventListener("pagehide", leave);
addEventListener("pageshow", come);
addEventListener("online", () => page && say());
come();
