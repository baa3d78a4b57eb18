// The text of the journal and of snapshots: what is written is read back, bigints by their names.
// Invariant: what a user wrote comes back as the text it was.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { decode, encode, ItemTexts } from "#core/codec.ts";

test("a name that ends in a unit is read as a whole number of any size, at every depth", () => {
  const record = {
    cashMicros: 12_345_678_901_234_567_890n,
    amountLots: -1n,
    nested: { levelE12: 0n, list: [{ valueE15: 10n ** 30n }, { Micros: 7n }] },
  };
  assert.equal(encode({ amountLots: -1n }), '{"amountLots":"-1"}');
  assert.deepEqual(decode(encode(record)), record);
  assert.deepEqual(decode(encode([record, [record]])), [record, [record]]);
});

test("a name counts by its end, also one that nobody has used before", () => {
  const name = randomUUID();
  for (const unit of ["Micros", "Lots", "E12", "E15"]) {
    const record = { [`${name}${unit}`]: 5n, [`${unit}${name}-`]: "5" };
    assert.deepEqual(decode(encode([record, record])), [record, record]);
  }
});

test("a text is a text by its name, even where it looks like a number", () => {
  const record = { name: "12", memo: "7n", MicrosOf: "3", lots: "4", E12s: "5", list: ["6"] };
  assert.deepEqual(decode(encode(record)), record);
});

test("what is no text keeps its kind under any name: null, numbers, records, lists", () => {
  const record = {
    limitLots: null,
    feeMicros: 5,
    onMicros: true,
    heldLots: { byMicros: 3n },
    allE15: ["1", "2"],
    nothing: null,
  };
  assert.deepEqual(decode(encode(record)), record);
  for (const plain of [null, 5, "text", true, [], {}]) {
    assert.deepEqual(decode(encode(plain)), plain);
  }
});

test("every record comes back as it was, again and again by the same names", () => {
  const units = fc.constantFrom("Micros", "Lots", "E12", "E15");
  const name = fc.stringMatching(/^[a-z]{1,6}$/);
  const plain = { noNullPrototype: true };
  const numbers = fc.dictionary(
    fc.tuple(name, units).map((parts) => parts.join("")),
    fc.bigInt(),
    plain,
  );
  const texts = fc.dictionary(name, fc.oneof(fc.string(), fc.integer(), fc.constant(null)), plain);
  const record = fc
    .tuple(numbers, texts, fc.array(numbers))
    .map(([first, second, list]) => ({ ...first, ...second, list }));
  fc.assert(
    fc.property(record, (one) => assert.deepEqual(decode(encode(one)), one)),
    { numRuns: 50 },
  );
});

test("the text is what JSON.stringify writes, with bigints as decimal strings", () => {
  const bigintText = (_name: string, value: unknown): unknown =>
    typeof value === "bigint" ? value.toString() : value;
  const odd = ["\ud800", "\udfff\ud83d", "\ud83d\ude00", '"', "\\", "\u001e", "\u2028", "\u007f"];
  const words = fc.array(fc.constantFrom("a", " ", "7", "é", ...odd), { maxLength: 3 });
  const text = words.map((pieces) => pieces.join(""));
  const plain = fc.constantFrom(null, true, false, undefined, -0, 1e21, 1e-7, Number.NaN, [], {});
  const leaf = fc.oneof(text, plain, fc.integer(), fc.double(), fc.bigInt());
  const name = fc.oneof(text, fc.constantFrom("7", "-1", "__proto__"));
  const record = fc.dictionary(name, leaf, { maxKeys: 4, noNullPrototype: true });
  fc.assert(
    fc.property(record, fc.array(leaf, { maxLength: 4 }), (one, list) => {
      const whole = { one, list: [list, one], ...one };
      assert.equal(encode(whole), JSON.stringify(whole, bigintText));
    }),
    { numRuns: 100 },
  );
});

test("a list is written alike whatever its length, also where it ends with a piece", () => {
  // Up to three pieces of 8,192 characters, of items of one length each.
  for (const length of [1, 7, 62, 4_094, 8_190, 8_191, 20_000]) {
    for (const count of [0, 1, 2, 3, 4, 130, 131, 260, 400]) {
      const list = Array.from({ length: count }, (_, at) => String(at % 10).repeat(length));
      const [text, plain] = [encode([list, list]), JSON.stringify([list, list])];
      assert.ok(text === plain, `${count} of ${length}`);
    }
  }
});

test("items are there, or none, also where the last of them ends a piece", () => {
  const items = new ItemTexts();
  assert.deepEqual([items.isEmpty, items.text], [true, ""]);
  items.add("7".repeat(8_192));
  assert.deepEqual([items.isEmpty, items.text], [false, "7".repeat(8_192)]);
  items.add("1");
  assert.deepEqual([items.isEmpty, items.text.slice(-3)], [false, "7,1"]);
});
