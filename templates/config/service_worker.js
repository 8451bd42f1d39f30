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
const BAD_GATEWAY = 502;
const GATEWAY_TIMEOUT = 504;

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
 * nothing was sent". `response` is what the network answered; null if nothing.
 */
function answerTo(kind, { method, mode }, response) {
  if (response && ![BAD_GATEWAY, GATEWAY_TIMEOUT].includes(response.status)) {
    return kind === "wall" && isForEverybody(response) ? "network and keep" : "network";
  }
  if (mode !== "navigate") return "network";
  if (method !== "GET") return "shell: nothing was sent";
  return kind === "wall" ? "last wall" : "shell";
}

function isForEverybody({ ok, redirected, headers }) {
  return ok && !redirected && headers.get("Kept-Offline") === "public";
}

async function answered(event, kind) {
  const { request } = event;
  let response = null;
  try {
    response = (await event.preloadResponse) ?? (await fetch(request));
  } catch {
    // No connection.
  }
  const answer = answerTo(kind, request, response);
  if (kind === "wall" && response?.status < 500) event.waitUntil(keepWall(request.url, answer, response.clone()));
  if (answer.startsWith("network")) return response ?? Response.error();
  const wall = answer === "last wall" && (await stored(LAST_WALL, request.url));
  if (wall) return marked(wall, "data-kept");
  const shell = await stored(CACHE, SHELL);
  if (!shell) return response ?? Response.error();
  return answer === "shell" ? shell : marked(shell, "data-unsent");
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
self.addEventListener("message", (event) => event.waitUntil(choose(event.data.keepsPages)));

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
