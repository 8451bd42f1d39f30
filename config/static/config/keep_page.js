/**
 * Pages that a device shows without the server: floor, “My matches”, match and wall. Registers the service worker, which
 * browsers have over HTTPS only, and notes the lines of the page that are marked for it.
 */

const { topic, title, worker } = document.querySelector('meta[name="kept-page"]').dataset;
const reader = document.body.dataset.reader ?? "";

async function register() {
  if (!worker || !("serviceWorker" in navigator && "caches" in window)) return;
  if (await caches.has("barpoint-not-wanted")) return;
  await navigator.serviceWorker.register(worker, { scope: "/" });
}

function linesOf(page) {
  const texts = [...page.querySelectorAll("[data-kept-line]")].map((line) => line.innerText.replace(/\s+/g, " ").trim());
  return texts.filter(Boolean);
}

/** Note what the page says now, for this address. */
async function note() {
  await (await import("./this_device.js")).ready;
  const { putData } = await import("./kept_store.js");
  await putData(reader, `page:${location.pathname}`, { title, topic, lines: linesOf(document), at: Date.now() });
}

function noteSafely() {
  // Where the browser stores nothing there is nothing to show later.
  if (reader) note().catch(() => {});
}

noteSafely();
document.addEventListener("htmx:afterSettle", noteSafely);
if (document.readyState === "complete") register();
else addEventListener("load", () => register());
