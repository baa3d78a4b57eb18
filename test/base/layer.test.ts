// A layer against a copy: the same writes, the same answers, in the same order.
// Invariant: whatever is written to a layer, the map or set below it is as it was.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { layerOf } from "#base/layer.ts";

const writes = fc.array(
  fc.record({
    kind: fc.constantFrom("set", "set", "delete", "deep", "clear"),
    key: fc.nat(12),
    value: fc.nat(100),
  }),
  { maxLength: 40 },
);

const inner = (value: number) => new Map([["value", value]]);
type Nested = Map<number, Map<string, number>>;

function write(map: Nested, set: Set<number>, { kind, key, value }: Write): unknown {
  if (kind === "set") return [map.set(key, inner(value)) === map, set.add(key) === set];
  if (kind === "delete") return [map.delete(key), set.delete(key)];
  if (kind === "deep") return map.get(key)?.set("value", value).size;
  // Seldom, so that most layers have something below.
  if (value < 90) return undefined;
  map.clear();
  return set.clear();
}
type Write = { readonly kind: string; readonly key: number; readonly value: number };

function readings(map: Nested, set: Set<number>): unknown {
  const told: unknown[] = [];
  map.forEach((value, key) => {
    told.push([key, [...value]]);
  });
  set.forEach((item, same) => {
    told.push([item, same]);
  });
  return [
    [map.size, [...map.keys()], [...map.values()].map((one) => [...one])],
    [...map].map(([key, value]) => [key, value.get("value"), map.has(key), map.get(key) === value]),
    [set.size, [...set], [...set.keys()], [...set.entries()], set.has(3), map.has(3)],
    told,
  ];
}

test("a layer, and a layer over a layer, answer as a copy does, write by write (property)", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(12)), writes, writes, (keys, first, then) => {
      const made = (): readonly [Nested, Set<number>] => [
        new Map(keys.map((key) => [key, inner(key)])),
        new Set(keys),
      ];
      const [below, copy] = [made(), made()];
      const before = readings(...below);
      let layer = below;
      for (const round of [first, then]) {
        layer = [layerOf(layer[0]), layerOf(layer[1])];
        for (const one of round) {
          assert.deepEqual(write(...layer, one), write(...copy, one));
          assert.deepEqual(readings(...layer), readings(...copy));
        }
      }
      assert.deepEqual(readings(...below), before);
    }),
    { numRuns: 60 },
  );
});

test("records are shared, not laid over", () => {
  const record = { held: 1 };
  const layer = layerOf(new Map([["one", record]]));
  assert.equal(layer.get("one"), record);
  assert.equal(layerOf(record), record);
});
