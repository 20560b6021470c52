// Finds the tensors in memory at a step.

/** A rectangle of a map, in steps and bytes. */
export interface Rectangle {
  name: string;
  first: number;
  last: number;
  offset: number;
  bytes: number;
}

/** Returns the rectangles that are live at a step, by address. */
export function aliveAt(rectangles: Rectangle[], step: number): Rectangle[] {
  return rectangles
    .filter((one) => one.first <= step && step <= one.last)
    .sort((a, b) => a.offset - b.offset || b.bytes - a.bytes);
}

/** Returns the first step with the most bytes in use. A rectangle begins at that step. */
export function fullestStep(rectangles: Rectangle[]): number {
  let fullest = 0;
  let most = -1;
  for (const step of new Set(rectangles.map((one) => one.first).sort((a, b) => a - b))) {
    const bytes = covered(aliveAt(rectangles, step));
    if (bytes > most) [fullest, most] = [step, bytes];
  }
  return fullest;
}

/** Returns the number of bytes that they cover; each counts once. */
export function covered(rectangles: Rectangle[]): number {
  let bytes = 0;
  let end = 0;
  for (const one of [...rectangles].sort((a, b) => a.offset - b.offset)) {
    const last = one.offset + one.bytes;
    bytes += Math.max(0, last - Math.max(end, one.offset));
    end = Math.max(end, last);
  }
  return bytes;
}
