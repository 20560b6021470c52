// Sorts tables by a click on a column head, and filters them by words.
import { magnitudeOfText, plainDigits } from "./count.ts";
import { all, make } from "./elements.ts";
import { matches, orderOf, type Direction } from "./order.ts";

function cellText(row: HTMLTableRowElement, column: number): string {
  return row.cells[column]?.textContent ?? "";
}

function sort(table: HTMLTableElement, head: HTMLTableCellElement): void {
  const body = table.tBodies[0]!;
  const rows = Array.from(body.rows);
  const isNumber = head.classList.contains("n");
  // For numbers, the largest comes first.
  const first: Direction = isNumber ? "descending" : "ascending";
  const other: Direction = isNumber ? "ascending" : "descending";
  const direction = head.getAttribute("aria-sort") === first ? other : first;
  for (const one of all(table, "th[aria-sort]")) one.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", direction);
  const cells = rows.map((row) => cellText(row, head.cellIndex));
  body.append(...orderOf(cells, isNumber, direction).map((i) => rows[i]!));
}

/** Returns the column heads. */
function headsOf(table: HTMLTableElement): HTMLTableCellElement[] {
  return Array.from(table.tHead?.rows[0]?.cells ?? []);
}

/** Prevents a line break between the indentation of a loop and its text. */
function keepIndentation(cell: HTMLTableCellElement): void {
  cell.textContent = cell.textContent!.replace(/^ +/, (spaces) => "\u00a0".repeat(spaces.length));
}

/** Labels the cells for narrow windows, in which a row takes several lines. */
export function labelCells(table: HTMLTableElement): void {
  const heads = headsOf(table).map((head) => head.textContent ?? "");
  for (const row of table.tBodies[0]!.rows) {
    for (const cell of row.cells) cell.dataset["label"] = heads[cell.cellIndex] ?? "";
    if (table.classList.contains("nest")) keepIndentation(row.cells[0]!);
  }
  table.classList.add("labelled");
}

/** Draws a bar below each number, relative to the largest one in the column. */
export function drawShares(table: HTMLTableElement): void {
  const rows = Array.from(table.tBodies[0]!.rows);
  for (const head of headsOf(table)) {
    const column = head.cellIndex;
    if (column === 0 || !head.classList.contains("n")) continue;
    const amounts = rows.map((row) => magnitudeOfText(cellText(row, column)));
    const most = amounts.reduce((a, b) => Math.max(a, b), 0);
    if (most <= 0) continue;
    rows.forEach((row, i) => {
      row.cells[column]?.style.setProperty("--share", String(Math.max(0, amounts[i]! / most)));
    });
  }
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
  // Finds numbers with separators and without.
  const texts = rows.map((row) => `${row.textContent} ${plainDigits(row.textContent ?? "")}`);
  const input = make("input", { type: "search", placeholder: "kernel, layer, type" });
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
