// How the page calls for attention: its title and icon, small sounds, notifications, and a screen that stays on.

const title = document.title;
const icon = document.querySelector('link[rel="icon"]');
const plainIcon = icon?.href;

/** Mark the tab with a text while it is the reader's turn. */
export function markTab(isMyTurn, turnIcon, text) {
  document.title = isMyTurn ? `● ${text} · ${title}` : title;
  if (icon) icon.href = isMyTurn ? turnIcon : plainIcon;
}

// Each sound is a few tones: [Hz, start in s, length in s].
const TONES = {
  here: [[660, 0, 0.09], [880, 0.12, 0.12]],
  roll: [[900, 0, 0.03], [700, 0.05, 0.03], [1000, 0.1, 0.04]],
  play: [[320, 0, 0.06]],
  double: [[520, 0, 0.1], [660, 0.12, 0.14]],
  turn: [[660, 0, 0.09]],
  over: [[523, 0, 0.12], [659, 0.14, 0.12], [784, 0.28, 0.2]],
};
let audio = null;

export function playSound(name) {
  const tones = TONES[name];
  if (!tones || !globalThis.AudioContext) return;
  audio ??= new AudioContext();
  for (const [frequency, start, length] of tones) {
    const oscillator = audio.createOscillator();
    const volume = audio.createGain();
    const at = audio.currentTime + start;
    oscillator.frequency.value = frequency;
    volume.gain.setValueAtTime(0.12, at);
    volume.gain.exponentialRampToValueAtTime(0.001, at + length);
    oscillator.connect(volume).connect(audio.destination);
    oscillator.start(at);
    oscillator.stop(at + length);
  }
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
