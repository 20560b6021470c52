// Numbers of the report, which may be inexact.
import type { Count } from "./report.ts";

/** "208,576" */
function grouped(number: number): string {
  return number.toLocaleString("en");
}

type Round = (number: number) => number;

/** Nanoseconds in milliseconds, to three decimals. */
export function milliseconds(nanoseconds: number, round: Round): string {
  return (round(nanoseconds / 1000) / 1000).toFixed(3);
}

/** Returns "72", "10..72", ">=72", "<=72" or "?", like the program. Bounds stay bounds: `text` rounds
 *  the lower one down, and the upper one up. */
export function format_count(count: Count, text: (number: number, round: Round) => string = grouped): string {
  if (count === null) return "?";
  if (typeof count === "number") return text(count, Math.round);
  const least = text(count.min, Math.floor);
  if (count.max === null) return `>=${least}`;
  const most = text(count.max, Math.ceil);
  return count.min === 0 ? `<=${most}` : `${least}..${most}`;
}

/** Returns the number to sort and colour by: the upper bound, else the lower bound. */
export function magnitude(count: Count): number {
  if (count === null) return -1;
  if (typeof count === "number") return count;
  return count.max ?? count.min;
}

/** Returns the sum. Unknown counts make it a lower bound; if all are unknown, so is the sum. */
export function total(counts: Count[]): Count {
  if (counts.every((count) => count === null)) return null;
  let [min, max]: [number, number | null] = [0, 0];
  for (const count of counts) {
    const isExact = typeof count === "number";
    min += isExact ? count : count?.min ?? 0;
    const most = isExact ? count : count?.max ?? null;
    max = max === null || most === null ? null : max + most;
  }
  return min === max ? min : { min, max };
}

/** Removes the separators of "208,576", for searches and comparisons. */
export function plainDigits(text: string): string {
  return text.replace(/(\d),(?=\d{3})/g, "$1");
}

/** Returns the magnitude of a count in text form. */
export function magnitudeOfText(text: string): number {
  const numbers = plainDigits(text).match(/\d+(\.\d+)?/g);
  return numbers ? Number(numbers[numbers.length - 1]) : -1;
}
