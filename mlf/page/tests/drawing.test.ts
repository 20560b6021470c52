import assert from "node:assert/strict";
import test from "node:test";
import { costOf, type CallBox } from "../src/drawing.ts";
import type { Call, Count } from "../src/report.ts";

function box(...costs: [mac: Count, live: Count][]): CallBox {
  const calls = costs.map(([mac, live]) => ({ mac, live }) as Call);
  return { element: {} as SVGGElement, calls, first: 0 };
}

test("costs of calls that repeat add up", () => {
  assert.equal(costOf(box([2, 10], [3, 30], [4, 20]), "mac"), 9);
  assert.deepEqual(costOf(box([2, 10], [{ min: 1, max: 3 }, 30]), "mac"), { min: 3, max: 5 });
});

test("memory in use does not: the most counts", () => {
  assert.equal(costOf(box([2, 10], [3, 30], [4, 20]), "live"), 30);
  assert.deepEqual(costOf(box([2, 10], [3, { min: 5, max: null }]), "live"), 10);
  assert.equal(costOf(box([2, null], [3, null]), "live"), null);
});
