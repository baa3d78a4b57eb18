// Exports cut into their entries, wherever the pieces that arrive begin and end.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Cutter } from "../../tools/export-cutter.ts";

test("texts with quotes, backslashes and braces are cut alike in pieces of every size", () => {
  const entries = [
    { plain: "abc", quoted: '"', slash: "\\", both: '\\"}{', last: "x\\" },
    { empty: "", deep: { list: ["]", "[", '\\\\"'], more: { brace: "}" } }, tail: '\\\\\\"' },
    { after: "no backslash at all in this one", number: 1 },
    // A text is looked at byte by byte for a while, and searched from there on.
    ...[46, 47, 48, 49, 50].map((length) => ({ [`${"k".repeat(length)}"`]: "\\".repeat(length) })),
    { other: "Peñasco, 東京, \u{1f3e0}", more: `${"x".repeat(60)}"}{\\` },
  ];
  for (const text of [JSON.stringify(entries), `{"data":${JSON.stringify(entries)}}`]) {
    const bytes = new TextEncoder().encode(text);
    for (let size = 1; size <= bytes.length; size += 1) {
      const cutter = new Cutter();
      const found: unknown[] = [];
      for (let at = 0; at < bytes.length; at += size)
        for (const one of cutter.take(bytes.subarray(at, at + size))) found.push(JSON.parse(one));
      assert.deepEqual(found, entries, `pieces of ${size}`);
      assert.equal(cutter.end(), true);
    }
  }
});
