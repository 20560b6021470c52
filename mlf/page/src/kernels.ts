import { all } from "./elements.ts";
import { markMatchingLines } from "./lines.ts";
import { show, type Parts } from "./packed.ts";
import { labelCells } from "./table.ts";

/** Shows the contents of a kernel if they are compressed. */
function unfold(parts: Parts, kernel: Element): void {
  const note = kernel.querySelector(":scope > [data-part]");
  if (!note || !show(parts, note)) return;
  for (const codes of all<HTMLElement>(kernel, ".codes")) markMatchingLines(codes);
  for (const table of all<HTMLTableElement>(kernel, "table")) labelCells(table);
}

export function unfoldKernels(parts: Parts): void {
  // The event does not bubble, so the listener captures it.
  document.addEventListener("toggle", (event) => {
    if (event.target instanceof HTMLDetailsElement && event.target.open) unfold(parts, event.target);
  }, { capture: true });
  for (const codes of all<HTMLElement>(document, ".codes")) markMatchingLines(codes);
  // Printed kernels must be open.
  addEventListener("beforeprint", () => {
    for (const details of all<HTMLDetailsElement>(document, "details")) {
      details.open = true;
      unfold(parts, details);
    }
  });
}
