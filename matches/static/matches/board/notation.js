// Plays as players write them: `24/18*/13`, `bar/22`, `6/off(2)`. Points are those of the player who moves.

const BAR = 25;
const OFF = 0;

/** Return the moves of a written play as pairs of points, or null if it cannot be read. */
export function parse(text) {
  const moves = [];
  for (const word of text.trim().toLowerCase().split(/[\s,]+/)) {
    if (word === "") continue;
    const match = /^((?:bar|off|\d{1,2})\*?(?:\/(?:bar|off|\d{1,2})\*?)+)(?:\(([1-4])\))?$/.exec(word);
    if (!match) return null;
    const points = match[1].split("/").map((part) => point(part.replace("*", "")));
    if (points.some((value) => value < OFF || value > BAR)) return null;
    for (let copy = 0; copy < Number(match[2] ?? 1); copy += 1) {
      for (let index = 1; index < points.length; index += 1) moves.push([points[index - 1], points[index]]);
    }
  }
  return moves;
}

/** Write steps `{from, to, hits}` down: the steps of one checker joined, high points first, equal moves counted. */
export function write(steps) {
  const journeys = [];
  for (const step of steps) {
    const journey = journeys.find((other) => other.at(-1).point === step.from);
    const target = { point: step.to, hits: step.hits };
    if (journey) journey.push(target);
    else journeys.push([{ point: step.from, hits: false }, target]);
  }
  journeys.sort((a, b) => b[0].point - a[0].point || b.at(-1).point - a.at(-1).point);
  const counted = new Map();
  for (const journey of journeys) {
    const bare = key(journey, false);
    const known = counted.get(bare);
    if (known) known.count += 1;
    else counted.set(bare, { text: key(journey, true), count: 1 });
  }
  return [...counted.values()].map(({ text, count }) => (count > 1 ? `${text}(${count})` : text)).join(" ");
}

/** Name a point: `bar`, `off` or its number. */
export function name(value) {
  return value === BAR ? "bar" : value === OFF ? "off" : String(value);
}

function key(journey, withHits) {
  return journey
    .filter(({ hits }, index) => index === 0 || index === journey.length - 1 || hits)
    .map(({ point: value, hits }) => name(value) + (withHits && hits ? "*" : ""))
    .join("/");
}

function point(word) {
  return word === "bar" ? BAR : word === "off" ? OFF : Number(word);
}
