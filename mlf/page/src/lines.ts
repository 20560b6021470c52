// Marks the lines of TIR and C that are the same statement when the user points at one of them.
import { all } from "./elements.ts";

/** Scrolls only the box until the line is in its middle. */
function reveal(line: HTMLElement, box: HTMLElement): void {
  const [inside, around] = [line.getBoundingClientRect(), box.getBoundingClientRect()];
  if (inside.top >= around.top && inside.bottom <= around.bottom) return;
  box.scrollTop += inside.top - around.top - (around.height - inside.height) / 2;
}

/** A click scrolls to the line in the other code; Alt and the arrow keys go from statement to
 *  statement. */
export function markMatchingLines(codes: HTMLElement): void {
  let marked: HTMLElement[] = [];
  const mark = (statement: string | undefined): void => {
    for (const line of marked) line.classList.remove("matching");
    marked = statement ? all<HTMLElement>(codes, `[data-s="${statement}"]`) : [];
    for (const line of marked) line.classList.add("matching");
  };
  const revealExceptIn = (own: Element | null): void => {
    const seen = new Set<Element | null>([own]);
    for (const line of marked) {
      const box = line.closest<HTMLElement>("pre");
      if (box && !seen.has(box)) reveal(line, box);
      seen.add(box);
    }
  };
  const lineOf = (event: Event): HTMLElement | null =>
    (event.target as Element).closest?.<HTMLElement>("[data-s]") ?? null;
  codes.addEventListener("pointerover", (event) => {
    const line = lineOf(event);
    if (line) mark(line.dataset["s"]);
  });
  codes.addEventListener("click", (event) => {
    const line = lineOf(event);
    if (!line) return;
    mark(line.dataset["s"]);
    revealExceptIn(line.closest("pre"));
  });
  codes.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const box = (event.target as Element).closest<HTMLElement>("pre");
    if (!step || !event.altKey || !box) return;
    const lines = all<HTMLElement>(box, "[data-s]");
    const next = lines[lines.findIndex((line) => line.classList.contains("matching")) + step]
      ?? lines[step > 0 ? 0 : lines.length - 1];
    if (!next) return;
    event.preventDefault();
    mark(next.dataset["s"]);
    revealExceptIn(null);
  });
}
