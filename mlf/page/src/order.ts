// Sorts and filters rows.
import { magnitudeOfText } from "./count.ts";

export type Direction = "ascending" | "descending";

/** Returns the positions of the sorted cells. Equal cells keep their order; unknown numbers come last. */
export function orderOf(cells: string[], isNumber: boolean, direction: Direction): number[] {
  const sign = direction === "ascending" ? 1 : -1;
  const numbers = cells.map(magnitudeOfText);
  const compare = (a: number, b: number): number => {
    if (!isNumber) return sign * cells[a]!.localeCompare(cells[b]!, "en", { numeric: true });
    const [left, right] = [numbers[a]!, numbers[b]!];
    if (left < 0 || right < 0) return right - left;
    return sign * (left - right);
  };
  return cells.map((_, i) => i).sort((a, b) => compare(a, b) || a - b);
}

/** Returns whether a row contains every word of the search, in any case and order. */
export function matches(row: string, search: string): boolean {
  const text = row.toLowerCase();
  return search.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}
