// Walking the graph of legal steps that the server sends with a roll, and writing plays as players do: `24/18*/13`,
// `bar/22`, `6/off(2)`. Points are those of the player who moves. The rules of the game are in the graph alone.

const BAR = 25;
const OFF = 0;

export class Walk {
  /** `graph`: nodes of `{complete, edges: [{die, from, to, hits, node}]}`; `dice`: all that are to be played, the left one first. */
  constructor(graph, dice) {
    this.graph = graph;
    this.dice = [...dice];
    this.path = [];
  }

  get isComplete() {
    return this.graph[this.#node()].complete;
  }

  /** Whether there is nothing to play. */
  get isDance() {
    return this.graph[0].edges.length === 0;
  }

  get sources() {
    return new Set(this.graph[this.#node()].edges.map((edge) => edge.from));
  }

  /** The dice in the order they are shown, each with whether it has been played. */
  get dieStates() {
    const played = this.path.map((edge) => edge.die);
    return this.dice.map((die) => {
      const at = played.indexOf(die);
      if (at >= 0) played.splice(at, 1);
      return { die, used: at >= 0 };
    });
  }

  /** Swap the dice, before the first step. */
  swap() {
    if (this.path.length === 0) this.dice.reverse();
  }

  /** Return the edge that a click on a point takes: by the left die if it can, or by the right one if asked. */
  edgeFrom(from, { right = false } = {}) {
    const edges = this.graph[this.#node()].edges.filter((edge) => edge.from === from);
    const first = right ? this.dice[1] : this.dice[0];
    return edges.find((edge) => edge.die === first) ?? edges[0] ?? null;
  }

  /** Return where the checker on a point may go with one or several dice: a map from points to edges to follow. */
  destinations(from) {
    const reached = new Map();
    let front = [{ node: this.#node(), at: from, edges: [] }];
    while (front.length) {
      const next = [];
      for (const { node, at, edges } of front) {
        for (const edge of this.#ordered(this.graph[node].edges)) {
          if (edge.from !== at) continue;
          const longer = [...edges, edge];
          if (!reached.has(edge.to)) reached.set(edge.to, longer);
          next.push({ node: edge.node, at: edge.to, edges: longer });
        }
      }
      front = next;
    }
    return reached;
  }

  follow(edges) {
    this.path.push(...edges);
  }

  undo() {
    return this.path.pop() ?? null;
  }

  /** Return the points from which the checker that was moved last to `point` came: a map from points to its steps. */
  origins(point) {
    const origins = new Map();
    const indices = [];
    let at = point;
    for (let index = this.path.length - 1; index >= 0; index -= 1) {
      const edge = this.path[index];
      if (edge.to !== at) continue;
      indices.push(index);
      at = edge.from;
      origins.set(at, [...indices]);
    }
    return origins;
  }

  /** Take steps of the path back by their indices; later steps stay where they are possible without them. */
  takeBack(indices) {
    const first = Math.min(...indices);
    const later = this.path.filter((_, index) => index > first && !indices.includes(index));
    this.path = this.path.slice(0, first);
    for (const step of later) {
      const edge = this.graph[this.#node()].edges.find(
        (other) => other.from === step.from && other.to === step.to && other.hits === step.hits,
      );
      if (!edge) break;
      this.path.push(edge);
    }
  }

  /** Walk a play that was typed. Return null, or the code of what is wrong with it. */
  type(text) {
    const moves = parse(text);
    if (moves === null) return "bad_notation";
    const path = this.#search(0, moves);
    if (path === null) return "not_legal";
    this.path = path;
    return null;
  }

  #node() {
    return this.path.length ? this.path.at(-1).node : 0;
  }

  /** Edges of the left die come first. */
  #ordered(edges) {
    return [...edges].sort((a, b) => this.dice.indexOf(a.die) - this.dice.indexOf(b.die));
  }

  /** Return the edges from a node to a complete one that make exactly these moves, in any order; or null. */
  #search(node, moves) {
    if (moves.length === 0) return this.graph[node].complete ? [] : null;
    // A point that is only passed is written down where it hits, so steps that hit nothing come first.
    const edges = [...this.graph[node].edges].sort((a, b) => a.hits - b.hits);
    for (const edge of edges) {
      for (const [index, [from, to]] of moves.entries()) {
        if (from !== edge.from || edge.to < to) continue;
        const rest = moves.filter((_, other) => other !== index);
        if (edge.to !== to) rest.push([edge.to, to]);
        const path = this.#search(edge.node, rest);
        if (path !== null) return [edge, ...path];
      }
    }
    return null;
  }
}

/** Return the moves of a written play as pairs of points, or null if it cannot be read. */
function parse(text) {
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
