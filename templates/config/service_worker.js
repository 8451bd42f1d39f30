// Shows pushes, and opens the page of a notification. Where the server cannot be reached, answers with a page that shows
// what this device keeps. Stored are that page, its files, and the last wall screen that is the same for everybody.

const SHELL = "{{ shell }}";
const FILES = [{% for file in files %}"{{ file }}"{% if not forloop.last %}, {% endif %}{% endfor %}];
const PREFIX = "barpoint-";
const CACHE = `${PREFIX}{{ version }}`;
const LAST_WALL = `${CACHE}-wall`;
// It exists, empty, while somebody wants no pages on this device.
const NOT_WANTED = `${PREFIX}not-wanted`;
const NOT_TOUCHED = /^\/(?:admin|api|live|static)\//;
const WALL = /^\/events\/[^/]+\/[^/]+\/wall\/$/;
const DOWNLOAD = /\.\w+$/;
const ERROR = 500;
const FIRST_BYTE = 10_000; // ms after which a page that is read is awaited behind the shell
const LATE_FOR = 30_000; // ms for which it is kept once it is there
const LEAVES = 2_000; // ms in which a browser without a line says so

const late = new Map(); // by URL, the answers that are awaited behind the shell: { isOver, response }
const REASONS = { "shell: nothing was sent": "unsent", "shell: not known": "unknown" };
const pause = (duration) => new Promise((resolve) => setTimeout(resolve, duration));

/** What is requested: a "file" of the shell, a "wall", another "page", or "" for what is not touched. */
function kindOf({ method, mode, url }) {
  const { origin, pathname } = new URL(url, self.location.origin);
  if (origin !== self.location.origin) return "";
  if (method === "GET" && FILES.includes(pathname)) return "file";
  if (NOT_TOUCHED.test(pathname)) return "";
  if (method === "GET" && WALL.test(pathname)) return "wall";
  return mode === "navigate" ? "page" : "";
}

/**
 * What a request for a page or a wall is answered with: "network", "network and keep", "last wall", "shell", "shell:
 * nothing was sent", "shell: not known". `response` is what the network answered; null if nothing; `hasLeft` is whether
 * the server may have the request.
 */
function answerTo(kind, { method, mode }, response, hasLeft = true) {
  if (response && isOurs(response)) return kind === "wall" && isForEverybody(response) ? "network and keep" : "network";
  if (mode !== "navigate") return "network";
  if (method !== "GET") return hasLeft ? "shell: not known" : "shell: nothing was sent";
  return kind === "wall" ? "last wall" : "shell";
}

/** As in `config/ours.js`; the headers of a redirect cannot be read. */
function isOurs({ type, status, headers }) {
  return type === "opaqueredirect" || headers.has("Barpoint") || (status < ERROR && headers.has("X-Request-ID"));
}

function isForEverybody({ ok, redirected, headers }) {
  return ok && !redirected && headers.get("Kept-Offline") === "public";
}

async function answered(event, kind) {
  const { request } = event;
  const { url, method, mode } = request;
  const isRead = mode === "navigate" && method === "GET" && !DOWNLOAD.test(new URL(url).pathname);
  const here = isRead && request.isReloadNavigation && late.get(url)?.response;
  // Who sends something may sign out by it, and a response is read once.
  if (here || method !== "GET") late.clear();
  if (here) return here;
  const hasLeft = method === "GET" || (await mayLeave());
  const coming = hasLeft ? fromNetwork(event) : Promise.resolve(null);
  const response = await (isRead ? Promise.race([coming, pause(FIRST_BYTE)]) : coming);
  if (response === undefined) event.waitUntil(keepLate(url, coming));
  const answer = answerTo(kind, request, response, hasLeft);
  const isKept = kind === "wall" && response?.status < ERROR && answer.startsWith("network");
  if (isKept) event.waitUntil(keepWall(url, answer, response.clone()));
  if (answer.startsWith("network")) return response ?? Response.error();
  const wall = answer === "last wall" && (await stored(LAST_WALL, url));
  if (wall) return marked(wall, "data-kept");
  const shell = await stored(CACHE, SHELL);
  if (!shell) return (await coming) ?? Response.error();
  const reason = response === undefined ? "awaited" : REASONS[answer];
  return reason ? marked(shell, `data-why="${reason}"`) : shell;
}

/** The answer of the network; null without any, or if what tells what a form has done breaks off. */
async function fromNetwork({ request, preloadResponse }) {
  try {
    const response = (await preloadResponse) ?? (await fetch(request));
    if (request.method !== "GET" && response.body) await response.clone().blob();
    return response;
  } catch {
    return null;
  }
}

/** Whether a form may reach the server: not if there is no line at once. A laptop without a network may be the server. */
function mayLeave() {
  const probe = fetch("/healthz", { cache: "no-store" }).then(() => true, () => false);
  return Promise.race([probe, pause(LEAVES).then(() => true)]);
}

/** Keep an answer that comes, whole, after the shell was shown in its place. */
async function keepLate(url, coming) {
  const entry = { isOver: null, response: null };
  late.set(url, entry);
  entry.isOver = coming.then(async (response) => {
    if (!response || !isOurs(response)) return;
    await response.clone().blob();
    entry.response = response;
    setTimeout(() => (entry.response = null), LATE_FOR);
  });
  // It may break off.
  await entry.isOver.catch(() => {});
}

/** Tell the shell, in the end, whether the page has come in whose place it is shown. */
async function tellWhenHere({ data, source }) {
  const entry = late.get(data.awaited);
  await entry?.isOver.catch(() => {});
  source.postMessage(Boolean(entry?.response));
}

async function stored(cache, url) {
  return (await caches.has(cache)) && (await caches.open(cache)).match(url, { ignoreVary: true });
}

/** Tell the scripts of a page why it is shown. */
async function marked(page, attribute) {
  const text = (await page.text()).replace("<body ", `<body ${attribute} `);
  return new Response(text, { headers: page.headers });
}

/** Keep a wall in place of the last one; forget it if it is not for everybody any more. */
async function keepWall(url, answer, response) {
  if (await caches.has(NOT_WANTED)) return;
  const cache = await caches.open(LAST_WALL);
  if (answer === "network and keep") await cache.put(url, response);
  for (const key of await cache.keys()) {
    if ((key.url === url) !== (answer === "network and keep")) await cache.delete(key);
  }
}

async function file(request) {
  return (await stored(CACHE, new URL(request.url).pathname)) || fetch(request);
}

async function keepPages() {
  if (await caches.has(NOT_WANTED)) return;
  await (await caches.open(CACHE)).addAll([new Request(SHELL, { cache: "reload" }), ...FILES]);
}

async function deletePages(kept = []) {
  for (const name of await caches.keys()) {
    if (name.startsWith(PREFIX) && !kept.includes(name)) await caches.delete(name);
  }
}

async function install() {
  try {
    await keepPages();
  } catch (error) {
    // Pushes do not need the pages; those of an older worker are better than none.
    if (self.registration.active) throw error;
  }
  await self.skipWaiting();
}

async function activate() {
  await deletePages([CACHE, LAST_WALL, NOT_WANTED]);
  // Requests for pages do not wait for the worker to start.
  await self.registration.navigationPreload?.enable();
  await self.clients.claim();
}

/** What somebody has chosen in the preferences: whether this device keeps pages. */
async function choose(isWanted) {
  await deletePages();
  if (isWanted) await keepPages();
  else await caches.open(NOT_WANTED);
}

self.addEventListener("install", (event) => event.waitUntil(install()));
self.addEventListener("activate", (event) => event.waitUntil(activate()));
self.addEventListener("message", (event) => {
  event.waitUntil(event.data.awaited ? tellWhenHere(event) : choose(event.data.keepsPages));
});

self.addEventListener("fetch", (event) => {
  const kind = kindOf(event.request);
  if (kind) event.respondWith(kind === "file" ? file(event.request) : answered(event, kind));
});

self.addEventListener("push", (event) => {
  const { title, body, url, tag } = event.data.json();
  event.waitUntil(self.registration.showNotification(title, { body, tag, data: { url } }));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(new URL(event.notification.data.url, self.location.origin).href));
});

async function open(url) {
  const pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const shown = pages.find((page) => page.url === url);
  return shown ? shown.focus() : self.clients.openWindow(url);
}
