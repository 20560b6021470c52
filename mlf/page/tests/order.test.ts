import assert from "node:assert/strict";
import test from "node:test";
import { magnitude, magnitudeOfText, milliseconds, format_count, plainDigits, total } from "../src/count.ts";
import { matches, orderOf } from "../src/order.ts";

test("counts are written as the program prints them", () => {
  const counts = [7, null, { min: 1, max: 4 }, { min: 0, max: 4 }, { min: 3, max: null }] as const;
  assert.deepEqual(counts.map((count) => format_count(count)), ["7", "?", "1..4", "<=4", ">=3"]);
  assert.deepEqual(counts.map(magnitude), [7, -1, 4, 4, 3]);
  assert.deepEqual(counts.map((count) => magnitudeOfText(format_count(count))), [7, -1, 4, 4, 3]);
});

test("times are milliseconds, and their bounds stay bounds", () => {
  const counts = [1250400, { min: 1000999, max: 1000001 }, { min: 0, max: 1 }, { min: 2999, max: null }];
  assert.deepEqual(counts.map((count) => format_count(count, milliseconds)),
                   ["1.250", "1.000..1.001", "<=0.001", ">=0.002"]);
});

test("numbers have groups of three digits, which order and search do without", () => {
  assert.deepEqual([208576, 999, { min: 1000, max: 1234567 }].map((count) => format_count(count)),
                   ["208,576", "999", "1,000..1,234,567"]);
  assert.equal(magnitudeOfText("1,000..1,234,567"), 1234567);
  assert.equal(magnitudeOfText("+1,024 (+6.7 %)"), 6.7);
  assert.equal(plainDigits("conv_1, 208,576 bytes"), "conv_1, 208576 bytes");
});

test("a sum is as exact as its parts", () => {
  assert.equal(total([1, 2]), 3);
  assert.deepEqual(total([1, { min: 2, max: 5 }]), { min: 3, max: 6 });
  assert.deepEqual(total([1, null]), { min: 1, max: null });
  assert.equal(total([null, null]), null);
});

test("numbers are in their order, unknown ones last, equal ones as they were", () => {
  const cells = ["10", "9", "?", "9", ">=100"];
  assert.deepEqual(orderOf(cells, true, "ascending"), [1, 3, 0, 4, 2]);
  assert.deepEqual(orderOf(cells, true, "descending"), [4, 0, 1, 3, 2]);
});

test("texts with numbers are in the order that people expect", () => {
  assert.deepEqual(orderOf(["conv_10", "conv_9", "add"], false, "ascending"), [2, 1, 0]);
  assert.deepEqual(orderOf(["conv_10", "conv_9", "add"], false, "descending"), [0, 1, 2]);
});

test("a search is every word in any order", () => {
  assert.ok(matches("3 Conv2d int8", "int8 conv"));
  assert.ok(matches("anything", ""));
  assert.ok(!matches("3 Conv2d int8", "conv int16"));
});
