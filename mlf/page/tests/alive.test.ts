import assert from "node:assert/strict";
import test from "node:test";
import { aliveAt, covered, fullestStep } from "../src/alive.ts";

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
