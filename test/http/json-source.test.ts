// The digits of a body's numbers: kept as sent, whatever a float would make of them.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  decimalText,
  forbiddenPath,
  isPlain,
  oddNumberPath,
  parseJson,
  pastedKeyPath,
  sourceOf,
  unseenPath,
} from "#http/server/json-source.ts";
import { newSecret } from "#http/server/key-codec.ts";
import { nearestPrices, readPrice } from "#http/trading/price-text.ts";

const parsed = (text: string): unknown => {
  const read = parseJson(new TextEncoder().encode(text));
  assert.ok(read !== undefined, `${text} is JSON`);
  return read.value;
};

const holderIn = (text: string): object => {
  const value = parsed(text);
  assert.ok(typeof value === "object" && value !== null);
  return value;
};

test("a number's source is the text that was sent, not what a float prints", () => {
  const body = holderIn(
    '{"price": 0.30000000000000004, "amount": 1.10, "big": 12345678901234567890}',
  );
  assert.equal(sourceOf(body, "price"), "0.30000000000000004");
  assert.equal(sourceOf(body, "amount"), "1.10");
  assert.equal(sourceOf(body, "big"), "12345678901234567890");
  assert.equal(sourceOf(body, "absent"), undefined);
});

test("members of nested objects and of lists have their own sources", () => {
  const body = holderIn('{"orders":[{"price":0.10},{"price":0.20}],"price":0.30,"list":[1.50]}');
  assert.ok("orders" in body && Array.isArray(body.orders) && "list" in body);
  assert.deepEqual(
    body.orders.map((order: object) => sourceOf(order, "price")),
    ["0.10", "0.20"],
  );
  assert.equal(sourceOf(body, "price"), "0.30");
  assert.ok(typeof body.list === "object" && body.list !== null);
  assert.equal(sourceOf(body.list, "0"), "1.50");
});

test("of a member given twice, value and source are the last one's", () => {
  const body = holderIn('{"price":0.1000,"price":0.2000}');
  assert.equal(sourceOf(body, "price"), "0.2000");
  assert.ok("price" in body && body.price === 0.2);
});

/** Every number in the place where it stands, as its digits. */
function withDigits(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => {
    const digits = typeof member === "number" ? sourceOf(value, name) : undefined;
    return [name, digits === undefined ? withDigits(member) : `digits ${digits}`] as const;
  });
  return Array.isArray(value) ? members.map(([, member]) => member) : Object.fromEntries(members);
}

test("the digits are those that the parser read, wherever a number stands", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom("", " ", "\t"), (value, indent) => {
      const text = JSON.stringify([value], null, indent);
      const read: unknown = JSON.parse(
        text,
        (_name: string, member: unknown, context?: { readonly source?: string }) =>
          typeof member === "number" ? `digits ${context?.source}` : member,
      );
      assert.deepEqual(withDigits(parsed(text)), withDigits(read));
    }),
  );
});

test("a body may be nested, and not without end", () => {
  const nested = (levels: number) =>
    parseJson(Buffer.from(`${"[".repeat(levels)}1${"]".repeat(levels)}`));
  assert.notEqual(nested(500), undefined);
  assert.equal(nested(501), undefined);
  assert.equal(nested(60_000), undefined);
});

test("every decimal comes back digit for digit", () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 10n ** 20n }),
      fc.stringMatching(/^[0-9]{1,20}$/),
      (w, f) => {
        const text = `${w}.${f}`;
        assert.equal(sourceOf(holderIn(`{"n":${text}}`), "n"), text);
      },
    ),
  );
});

test("decimalText takes digits or text and nothing else", () => {
  const body = holderIn('{"n":0.50,"t":"0.50","no":null,"yes":true,"list":[0.5]}');
  for (const [name, expected] of [
    ["n", "0.50"],
    ["t", "0.50"],
    ["no", undefined],
    ["yes", undefined],
    ["list", undefined],
  ] as const) {
    const value: unknown = Object.getOwnPropertyDescriptor(body, name)?.value;
    assert.equal(decimalText(body, name, value), expected, name);
  }
});

test("exponents, minus zero and endless digits are found wherever they are", () => {
  const long = `0.${"1".repeat(80)}`;
  for (const odd of ["1e3", "1E3", "-0", "-0.0", "1e400", "0.5e-1", long]) {
    assert.deepEqual(oddNumberPath(parsed(`{"a":1,"orders":[{"x":1},{"price":${odd}}]}`)), [
      "orders",
      "1",
      "price",
    ]);
  }
  assert.equal(oddNumberPath(parsed('{"a":-1.5,"b":[0,0.0001,9999999999]}')), undefined);
});

test("what is no JSON in UTF-8, or reaches for a prototype, is refused", () => {
  const broken = [
    "",
    "{",
    "{'a':1}",
    '{"a":01}',
    '{"a":.5}',
    '{"a":+1}',
    '{"a":NaN}',
    '{"a":1,}',
    "\ufeff{}",
    "[".repeat(200_000) + "]".repeat(200_000),
  ];
  for (const text of broken) {
    assert.equal(parseJson(new TextEncoder().encode(text)), undefined, text.slice(0, 40));
  }
  assert.equal(parseJson(Uint8Array.of(0x22, 0xff, 0x22)), undefined, "bytes that are not UTF-8");
});

test("a name that could reach a prototype is found wherever it is, and reaches none", () => {
  for (const [text, path] of [
    ['{"__proto__":{"x":1}}', ["__proto__"]],
    ['{"a":[{"b":1},{"__proto__":{"x":1}}]}', ["a", "1", "__proto__"]],
    ['{"a":{"constructor":{"prototype":{}}}}', ["a", "constructor"]],
    ['{"a":{"proto":1},"toString":1}', undefined],
  ] as const) {
    const value = parsed(text);
    assert.deepEqual(forbiddenPath(value), path, text);
    assert.ok(typeof value === "object" && value !== null && !("x" in value));
  }
});

test("a price is a tick, a decimal off the grid, or not a decimal", () => {
  const cases: readonly [string, number | null | undefined][] = [
    ["0.0001", 1],
    ["0.9999", 9999],
    ["0.5", 5000],
    ["0.50000", 5000],
    ["0.30000000000000004", null],
    ["0.00005", null],
    ["0", null],
    ["0.0", null],
    ["1", null],
    ["1.0000", null],
    ["-0.5", null],
    ["10", null],
    ["5000", null],
    ["1e-1", undefined],
    ["-0", undefined],
    ["", undefined],
    [" 0.5", undefined],
    ["+0.5", undefined],
    [".5", undefined],
    ["0,5", undefined],
    ["half", undefined],
  ];
  for (const [text, tick] of cases) {
    const read = readPrice(text);
    assert.equal(read === undefined ? undefined : read.tick, tick, JSON.stringify(text));
  }
});

test("the nearest prices enclose the one sent, inside the range", () => {
  assert.deepEqual(nearestPrices("0.30000000000000004"), ["0.3", "0.3001"]);
  assert.deepEqual(nearestPrices("0.12345"), ["0.1234", "0.1235"]);
  assert.deepEqual(nearestPrices("0.00005"), ["0.0001", "0.0002"]);
  assert.deepEqual(nearestPrices("-3"), ["0.0001", "0.0002"]);
  assert.deepEqual(nearestPrices("0.99995"), ["0.9998", "0.9999"]);
  assert.deepEqual(nearestPrices("1"), ["0.9998", "0.9999"]);
  assert.deepEqual(nearestPrices("123456789012345678901234567890"), ["0.9998", "0.9999"]);
});

test("a body is plain exactly where each walk finds nothing in it", () => {
  const key = newSecret("test", "a pepper").secret;
  const texts = ["1e3", "-0", "12", '"\\u202e"', JSON.stringify(key), '"a"', "null", '{"b":[1E2]}'];
  const names = ["a", "__proto__", "constructor"];
  for (const text of texts) {
    for (const name of names) {
      for (const json of [`{"${name}":${text}}`, `{"x":[{"${name}":${text}}]}`, `[${text}]`]) {
        const value = parseJson(Buffer.from(json))?.value;
        const found = [forbiddenPath, oddNumberPath, unseenPath, pastedKeyPath].some(
          (pathIn) => pathIn(value) !== undefined,
        );
        assert.equal(isPlain(value), !found, json);
      }
    }
  }
});
