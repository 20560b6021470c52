// Tables that sort by a click on a head, and filter by words.
import { all, make } from "./elements.ts";
import { matches, orderOf, type Direction } from "./order.ts";

function cellText(row: HTMLTableRowElement, column: number): string {
  return row.cells[column]?.textContent ?? "";
}

function sort(table: HTMLTableElement, head: HTMLTableCellElement): void {
  const body = table.tBodies[0]!;
  const rows = Array.from(body.rows);
  const isNumber = head.classList.contains("n");
  // Of numbers people look for the largest.
  const first: Direction = isNumber ? "descending" : "ascending";
  const other: Direction = isNumber ? "ascending" : "descending";
  const direction = head.getAttribute("aria-sort") === first ? other : first;
  for (const one of all(table, "th[aria-sort]")) one.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", direction);
  const cells = rows.map((row) => cellText(row, head.cellIndex));
  body.append(...orderOf(cells, isNumber, direction).map((i) => rows[i]!));
}

export function makeSortable(table: HTMLTableElement): void {
  for (const head of all<HTMLTableCellElement>(table, "thead th")) {
    const button = make("button", { type: "button" }, head.textContent ?? "");
    button.addEventListener("click", () => sort(table, head));
    head.replaceChildren(button);
  }
}

export function makeFilterable(table: HTMLTableElement): void {
  const rows = Array.from(table.tBodies[0]!.rows);
  const texts = rows.map((row) => row.textContent ?? "");
  const input = make("input", { type: "search", placeholder: "words of the row" });
  const status = make("span", { role: "status" });
  input.addEventListener("input", () => {
    let shown = 0;
    rows.forEach((row, i) => {
      row.hidden = !matches(texts[i]!, input.value);
      shown += row.hidden ? 0 : 1;
    });
    status.textContent = input.value ? `${shown} of ${rows.length}` : "";
  });
  const box = make("div", { class: "tools" }, make("label", {}, "Filter ", input), status);
  table.parentElement!.before(box);
}
