// Kernels of large networks, whose markup is text until they are opened.
import { all } from "./elements.ts";
import { markMatchingLines } from "./lines.ts";
import { labelCells } from "./table.ts";

/** Makes elements of the markup that a `noscript` holds where there is one. */
function unfold(kernel: Element): void {
  const folded = kernel.querySelector(":scope > noscript");
  if (!folded) return;
  folded.outerHTML = folded.textContent ?? "";
  for (const codes of all<HTMLElement>(kernel, ".codes")) markMatchingLines(codes);
  for (const table of all<HTMLTableElement>(kernel, "table")) labelCells(table);
}

export function unfoldKernels(): void {
  // The event does not bubble, but is seen on its way down.
  document.addEventListener("toggle", (event) => {
    if (event.target instanceof HTMLDetailsElement && event.target.open) unfold(event.target);
  }, { capture: true });
  for (const codes of all<HTMLElement>(document, ".codes")) markMatchingLines(codes);
  // Paper has no summaries to click on.
  addEventListener("beforeprint", () => {
    for (const details of all<HTMLDetailsElement>(document, "details")) {
      details.open = true;
      unfold(details);
    }
  });
}
