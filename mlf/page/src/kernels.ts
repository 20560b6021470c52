// Expands kernels of large networks: their markup is text until the user opens them.
import { all } from "./elements.ts";
import { markMatchingLines } from "./lines.ts";
import { labelCells } from "./table.ts";

/** Replaces the `noscript` of a kernel, if there is one, by the elements in its text. */
function unfold(kernel: Element): void {
  const folded = kernel.querySelector(":scope > noscript");
  if (!folded) return;
  folded.outerHTML = folded.textContent ?? "";
  for (const codes of all<HTMLElement>(kernel, ".codes")) markMatchingLines(codes);
  for (const table of all<HTMLTableElement>(kernel, "table")) labelCells(table);
}

export function unfoldKernels(): void {
  // The event does not bubble, so the listener captures it.
  document.addEventListener("toggle", (event) => {
    if (event.target instanceof HTMLDetailsElement && event.target.open) unfold(event.target);
  }, { capture: true });
  for (const codes of all<HTMLElement>(document, ".codes")) markMatchingLines(codes);
  // Printed kernels must be open.
  addEventListener("beforeprint", () => {
    for (const details of all<HTMLDetailsElement>(document, "details")) {
      details.open = true;
      unfold(details);
    }
  });
}
