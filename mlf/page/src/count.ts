// Numbers of the report that may not be exact.
import type { Count } from "./report.ts";

/** "208,576" */
function grouped(number: number): string {
  return number.toLocaleString("en");
}

/** "72", "10..72", ">=72", "<=72", "?": as the program prints counts. */
export function format_count(count: Count): string {
  if (count === null) return "?";
  if (typeof count === "number") return grouped(count);
  if (count.max === null) return `>=${grouped(count.min)}`;
  return count.min === 0 ? `<=${grouped(count.max)}` : `${grouped(count.min)}..${grouped(count.max)}`;
}

/** What to sort and colour by: the most there can be, else the least. */
export function magnitude(count: Count): number {
  if (count === null) return -1;
  if (typeof count === "number") return count;
  return count.max ?? count.min;
}

/** The sum; what is not known makes it a lower bound, and nothing known makes nothing. */
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

/** "208576" of "208,576": what people may search for, and what can be compared. */
export function plainDigits(text: string): string {
  return text.replace(/(\d),(?=\d{3})/g, "$1");
}

/** The magnitude of a count that is text. */
export function magnitudeOfText(text: string): number {
  const numbers = plainDigits(text).match(/\d+(\.\d+)?/g);
  return numbers ? Number(numbers[numbers.length - 1]) : -1;
}
