import assert from "node:assert/strict";
import test from "node:test";
import { aliveAt, covered, fullestStep } from "../src/alive.ts";
import { centred, fitted, moved, zoomed } from "../src/view_box.ts";

const A = { name: "a", first: 0, last: 1, offset: 16, bytes: 16 };
const B = { name: "b", first: 1, last: 2, offset: 0, bytes: 24 };

test("what is alive at a step is in the order of addresses", () => {
  assert.deepEqual(aliveAt([A, B], 0), [A]);
  assert.deepEqual(aliveAt([A, B], 1), [B, A]);
  assert.deepEqual(aliveAt([A, B], 3), []);
});

test("a byte of two tensors counts once", () => {
  assert.equal(covered([A, B]), 32);
  assert.equal(covered([B, { ...A, offset: 4, bytes: 2 }]), 24);
  assert.equal(covered([]), 0);
});

test("the fullest step is the first of those with most bytes", () => {
  assert.equal(fullestStep([B, A]), 1);
  assert.equal(fullestStep([A, { ...B, first: 2 }, { ...B, first: 4, last: 5 }]), 2);
  assert.equal(fullestStep([]), 0);
});

test("zooming keeps the point, moving and centring keep the size", () => {
  const box = { x: 0, y: 0, width: 100, height: 50 };
  assert.deepEqual(zoomed(box, 0.5), { x: 25, y: 12.5, width: 50, height: 25 });
  assert.deepEqual(zoomed(box, 0.5, 0, 0), { x: 0, y: 0, width: 50, height: 25 });
  assert.deepEqual(moved(box, 0.1, -0.5), { x: 10, y: -25, width: 100, height: 50 });
  assert.deepEqual(centred(box, 10, 10), { x: -40, y: -15, width: 100, height: 50 });
});

test("a window shows the whole width of a drawing, and its top at a size that can be read", () => {
  const ribbon = { x: 0, y: 0, width: 100, height: 5000 };
  assert.deepEqual(fitted(ribbon, 400, 200), { x: -150, y: 0, width: 400, height: 200 });
  const wide = { x: 0, y: 0, width: 800, height: 10 };
  assert.deepEqual(fitted(wide, 400, 200), { x: 0, y: 0, width: 800, height: 400 });
});
