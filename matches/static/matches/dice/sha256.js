/**
 * SHA-256 and HMAC-SHA-256 (FIPS 180-4, RFC 2104). Browsers offer `crypto.subtle` to pages over HTTPS only, and clubs
 * run Barpoint over plain HTTP in a local network.
 */

const BLOCK = 64;
const DIGEST = 32;
const LENGTH_BYTES = 8;

const ROUNDS = 64;

const primes = [];
for (let number = 2; primes.length < ROUNDS; number++) {
  if (primes.every((prime) => number % prime)) primes.push(number);
}
// The first 32 bits of the fractions of the roots of the first primes; doubles have bits enough.
const fraction = (root) => Math.floor((root % 1) * 2 ** 32) | 0;
const ROUND_CONSTANTS = Int32Array.from(primes, (prime) => fraction(Math.cbrt(prime)));
const INITIAL = Int32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));

const schedule = new Int32Array(BLOCK);

function compress(state, view, at) {
  for (let i = 0; i < 16; i++) schedule[i] = view.getInt32(at + 4 * i);
  for (let i = 16; i < 64; i++) {
    const x = schedule[i - 15];
    const y = schedule[i - 2];
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    schedule[i] = (schedule[i - 16] + s0 + schedule[i - 7] + s1) | 0;
  }
  // Destructuring would be several times slower.
  let a = state[0];
  let b = state[1];
  let c = state[2];
  let d = state[3];
  let e = state[4];
  let f = state[5];
  let g = state[6];
  let h = state[7];
  for (let i = 0; i < 64; i++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + ROUND_CONSTANTS[i] + schedule[i]) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
  state[4] += e;
  state[5] += f;
  state[6] += g;
  state[7] += h;
}

/** The SHA-256 of some bytes, as 32 bytes. */
export function sha256(message) {
  const blocks = Math.ceil((message.length + 1 + LENGTH_BYTES) / BLOCK);
  const padded = new Uint8Array(blocks * BLOCK);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(message.length / 2 ** 29));
  view.setUint32(padded.length - 4, message.length << 3);
  const state = INITIAL.slice();
  for (let at = 0; at < padded.length; at += BLOCK) compress(state, view, at);
  const digest = new DataView(new ArrayBuffer(DIGEST));
  for (let i = 0; i < state.length; i++) digest.setInt32(4 * i, state[i]);
  return new Uint8Array(digest.buffer);
}

/** The HMAC-SHA-256 of some bytes under a key, as 32 bytes. */
export function hmacSha256(key, message) {
  const short = key.length > BLOCK ? sha256(key) : key;
  const inner = new Uint8Array(BLOCK).fill(0x36);
  const outer = new Uint8Array(BLOCK).fill(0x5c);
  short.forEach((byte, i) => {
    inner[i] ^= byte;
    outer[i] ^= byte;
  });
  return sha256(concat(outer, sha256(concat(inner, message))));
}

/** The bytes of several arrays, one after the other. */
export function concat(...parts) {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** A text in UTF-8. */
export const utf8 = (text) => new TextEncoder().encode(text);

/** Bytes in lower-case hexadecimal. */
export const toHex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** The bytes of a link in lower-case hexadecimal; null if it is not one. */
export function linkBytes(text) {
  if (typeof text !== "string" || !/^[0-9a-f]{64}$/.test(text)) return null;
  return Uint8Array.from(text.match(/../g), (pair) => parseInt(pair, 16));
}
