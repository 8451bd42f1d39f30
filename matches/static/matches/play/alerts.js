// How the page calls for attention: its title and icon, small sounds, notifications, and a screen that stays on.

const title = document.title;
const icon = document.querySelector('link[rel="icon"]');
const plainIcon = icon?.href;

/** Mark the tab with a text while it is the reader's turn. */
export function markTab(isMyTurn, turnIcon, text) {
  document.title = isMyTurn ? `● ${text} · ${title}` : title;
  if (icon) icon.href = isMyTurn ? turnIcon : plainIcon;
}

/** Play a sound, which is loaded with the first one. */
export async function playSound(name) {
  (await import("./sounds.js")).playTones(name);
}

/** Tell a reader who looks at something else that it is their turn, if they have allowed it. */
export function notify(text) {
  if (!document.hidden || globalThis.Notification?.permission !== "granted") return;
  try {
    new Notification(document.title, { body: text, tag: location.pathname });
  } catch (error) {
    if (error.name !== "TypeError") throw error; // Phones allow notifications to service workers alone.
  }
}

let lock = null;
let isPlaying = false;
let locking = Promise.resolve(); // One request at a time: a second lock would never be released.

/** Keep the screen on while the reader plays; browsers release the lock whenever the page is hidden. */
export function keepAwake(wanted) {
  isPlaying = wanted;
  locking = locking.then(updateLock);
}

async function updateLock() {
  if (!navigator.wakeLock || document.hidden) return;
  if (!isPlaying) {
    await lock?.release();
    lock = null;
  } else if (!lock || lock.released) {
    lock = await navigator.wakeLock.request("screen").catch((error) => {
      if (error.name !== "NotAllowedError") throw error; // The battery is low.
      return null;
    });
  }
}
