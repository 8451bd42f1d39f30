/* Where things are on the board, in CSS pixels of its box.

   A place is a number seen from the player at the bottom ("near"): 0 is the bar of the player at the top ("far"),
   1 to 24 are the points, 25 is the near player's bar, 26 and 27 are the trays of near and far.
   A wide board has the cube on a rail at its side; a compact one, for phones, has it on the bar. */

export const FAR_BAR = 0;
export const NEAR_BAR = 25;
export const NEAR_OFF = 26;
export const FAR_OFF = 27;

const COMPACT_BELOW = 600;
const VISIBLE = 5; // Checkers side by side on a point; more of them overlap.
const VISIBLE_ON_BAR = 3;
// Widths of rail, column, bar, gap before the tray, tray; and the height of the numbers. Fractions of the width.
const WIDE = { rail: 84, column: 54.5, bar: 62, gap: 10, tray: 61, band: 28, whole: 884 };
const COMPACT = { rail: 6, column: 56.3, bar: 56, gap: 2, tray: 44, band: 34, whole: 789 };

/** Return the place that `point` of a player is: their 25 is the bar, their 0 the tray. */
export function placeOf(point, isNear) {
  if (isNear) return point === 0 ? NEAR_OFF : point;
  if (point === 0) return FAR_OFF;
  return point === 25 ? FAR_BAR : 25 - point;
}

/** Return the point of a player that `place` is; the reverse of `placeOf`. */
export function pointOf(place, isNear) {
  if (isNear) return place === NEAR_OFF ? 0 : place;
  if (place === FAR_OFF) return 0;
  return place === FAR_BAR ? 25 : 25 - place;
}

export class Geometry {
  constructor(width, height, mirrored) {
    this.width = width;
    this.height = height;
    this.mirrored = mirrored;
    this.compact = width < COMPACT_BELOW;
    const parts = this.compact ? COMPACT : WIDE;
    const unit = width / parts.whole;
    this.column = parts.column * unit;
    this.band = Math.max(parts.band * unit, 15);
    this.rail = parts.rail * unit;
    this.bar = { left: this.rail + 6 * this.column, width: parts.bar * unit };
    this.right = this.bar.left + this.bar.width;
    this.tray = { left: this.right + 6 * this.column + parts.gap * unit, width: parts.tray * unit };
    const half = height / 2 - this.band;
    this.trayHeight = half - Math.max(height * 0.05, 8);
    this.checker = Math.min(this.column * 0.86, half / (VISIBLE + 0.6));
    this.spacing = Math.min(this.checker, (half - 0.6 * this.checker) / VISIBLE);
    this.pointHeight = half * (this.compact ? 0.84 : 0.78);
    this.dieSize = Math.min(this.column * 0.95, (height - 2 * (this.band + VISIBLE * this.spacing)) * 0.9, 56);
    this.dieSize = Math.max(this.dieSize, this.checker * 0.8);
  }

  /** Mirror an x coordinate if the board is mirrored. */
  x(value) {
    return this.mirrored ? this.width - value : value;
  }

  /** Whether a place is in the upper half. The bar of a player is on the side where they enter. */
  isTop(place) {
    return (place >= 13 && place <= 24) || place === NEAR_BAR || place === FAR_OFF;
  }

  /** Return the centre of the column of a place. */
  columnX(place) {
    if (place === FAR_BAR || place === NEAR_BAR) return this.x(this.bar.left + this.bar.width / 2);
    if (place >= NEAR_OFF) return this.x(this.tray.left + this.tray.width / 2);
    const fromLeft = place <= 12 ? 12 - place : place - 13;
    const left = fromLeft < 6 ? this.rail + fromLeft * this.column : this.right + (fromLeft - 6) * this.column;
    return this.x(left + this.column / 2);
  }

  /** Return the rectangle that belongs to a place: the whole column of a half, for touch and focus. */
  area(place) {
    const onBar = place === FAR_BAR || place === NEAR_BAR;
    const width = onBar ? this.bar.width : place >= NEAR_OFF ? this.tray.width : this.column;
    const top = this.isTop(place) ? 0 : this.height / 2;
    return { left: this.columnX(place) - width / 2, top, width, height: this.height / 2 };
  }

  /** Return the place at a position of the pointer, or null on the rail. */
  placeAt(x, y) {
    const inner = this.x(x);
    const top = y < this.height / 2;
    if (inner >= this.tray.left - 4) return top ? FAR_OFF : NEAR_OFF;
    if (inner >= this.bar.left && inner < this.right) return top ? NEAR_BAR : FAR_BAR;
    const start = inner < this.bar.left ? this.rail : this.right;
    const column = Math.floor((inner - start) / this.column) + (start === this.rail ? 0 : 6);
    if (column < 0 || column > 11) return null;
    return top ? 13 + column : 12 - column;
  }

  /** Return the centre of checker `index` of `count` on a place. */
  checkerAt(place, index, count) {
    const x = this.columnX(place);
    const down = this.isTop(place) ? 1 : -1;
    if (place >= NEAR_OFF) {
      const slab = this.slab();
      const edge = down === 1 ? this.band : this.height - this.band;
      return { x, y: edge + down * (2.5 + (index + 0.5) * slab.step) };
    }
    if (place === FAR_BAR || place === NEAR_BAR) {
      const clear = this.compact ? this.cubeSize() / 2 : this.checker * 0.1;
      const step = this.checker * Math.min(1, (VISIBLE_ON_BAR - 1) / Math.max(count - 1, 1));
      return { x, y: this.height / 2 - down * (clear + this.checker / 2 + index * step + 2) };
    }
    const step = this.spacing * Math.min(1, (VISIBLE - 1) / Math.max(count - 1, 1));
    const edge = down === 1 ? this.band : this.height - this.band;
    return { x, y: edge + down * (this.checker / 2 + index * step) };
  }

  /** Whether a stack of so many shows their number. */
  isCrowded(place, count) {
    if (place >= NEAR_OFF) return false;
    return count > (place === FAR_BAR || place === NEAR_BAR ? VISIBLE_ON_BAR : VISIBLE);
  }

  /** Return the size of a checker borne off, and the distance from one to the next. */
  slab() {
    const step = (this.trayHeight - 5) / 15;
    return { width: this.tray.width * 0.8, height: Math.max(step - 1.5, 2), step };
  }

  cubeSize() {
    return this.compact ? this.bar.width * 0.88 : this.rail * 0.6;
  }

  /** Return the centre of the cube. `owner` is "near", "far", "offered" or null. */
  cubeAt(owner) {
    const middle = this.height / 2;
    if (owner === "offered") return { x: this.x(this.right + 3 * this.column), y: middle };
    const x = this.x(this.compact ? this.bar.left + this.bar.width / 2 : this.rail / 2);
    const edge = this.band + this.cubeSize() / 2;
    if (owner === "near") return { x, y: this.height - edge };
    return { x, y: owner === "far" ? edge : middle };
  }

  /** Return the centre of the dice of a player: near rolls on the right, far on the left. */
  diceAt(isNear) {
    const left = isNear ? this.right + 3 * this.column : this.rail + 3 * this.column;
    return { x: this.x(left), y: this.height / 2 };
  }

  /** Return the rectangle between the points of a player's half, where the dice fall. */
  throwArea(isNear) {
    const { x, y } = this.diceAt(isNear);
    const width = 6 * this.column;
    const height = Math.max(2 * (y - this.band - this.pointHeight), 72);
    return { left: x - width / 2, top: y - height / 2, width, height };
  }
}
