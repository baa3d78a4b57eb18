// The developer's pages as the build writes them: every link leads somewhere, every operation is
// told once, and every program is one in its language.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { test } from "node:test";
import { checkout } from "#test/support/exchange.ts";
import { guidesOf } from "../../console/guides.ts";
import { referenceOf } from "../../console/reference.ts";
import type { Operation, Piece } from "../../console/src/screens/docs/contents.ts";
import {
  addressOf,
  isStream,
  isUpload,
  movedText,
  programs,
} from "../../console/src/screens/docs/examples.ts";

const guides = guidesOf(checkout);
const reference = referenceOf(`${checkout}sdk/openapi.json`);
const operations = reference.tasks.flatMap((task) => task.operations);

type Element = Exclude<Piece, string>;

const isElement = (piece: Piece): piece is Element => typeof piece !== "string";

const elementsOf = (pieces: readonly Piece[]): readonly Element[] =>
  pieces.filter(isElement).flatMap((one) => {
    const [, , ...children] = one;
    return [one, ...elementsOf(children)];
  });

test("every link within the guides leads to a page, and to a heading that it has", () => {
  const headings = new Map(
    guides.map(({ name, pieces }) => [
      `/docs/guides/${name}`,
      new Set(elementsOf(pieces).map(([, { id }]) => id)),
    ]),
  );
  const links = guides.flatMap(({ name, pieces }) =>
    elementsOf(pieces).flatMap(([element, { href }]) =>
      element === "a" && href?.startsWith("/docs/") === true ? [{ from: name, href }] : [],
    ),
  );
  assert.ok(links.length > 100, `${links.length} links`);
  const lost = links.filter(({ href }) => {
    const [page = "", anchor] = href.split("#");
    const ids = headings.get(page);
    return ids === undefined || (anchor !== undefined && !ids.has(anchor));
  });
  assert.deepEqual(lost, []);
  const kinds = new Set(guides.flatMap(({ pieces }) => elementsOf(pieces).map(([name]) => name)));
  for (const name of ["script", "style", "iframe", "html"]) assert.ok(!kinds.has(name), name);
  assert.equal(new Set(guides.map(({ name }) => name)).size, guides.length);
});

test("every operation of the document is told in one task, with its fields", () => {
  const document: { paths: Record<string, Record<string, { operationId: string }>> } = JSON.parse(
    readFileSync(`${checkout}sdk/openapi.json`, "utf8"),
  );
  const ids = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  );
  assert.deepEqual(operations.map(({ id }) => id).sort(), ids.sort());
  const rfq = operations.find(({ id }) => id === "openRfq");
  const names = rfq?.body?.fields.map(({ name }) => name) ?? [];
  assert.ok(names.includes("legs[].attachBps") && names.includes("closesAt"), names.join(" "));
  assert.equal(rfq?.needsKey, true);
  assert.ok(rfq?.answer.fields.some(({ name }) => name === "legs[].marketId"));
});

const asked = (operation: Operation) => ({
  operation,
  values: Object.fromEntries(
    operation.parameters.map(({ name, example }) => [name, example || "it's"]),
  ),
  body:
    operation.body === undefined || isUpload(operation)
      ? undefined
      : JSON.stringify(operation.body.example, null, 2),
});

const has = (command: string): boolean => spawnSync(command, ["--version"]).status === 0;

test("every example is a program: sh, TypeScript and Python read each", () => {
  const url = "http://127.0.0.1:4600";
  const all = operations.map(asked);
  const shell = all.map((one) => programs.curl(one, url)).join("\n");
  assert.equal(spawnSync("sh", ["-n"], { input: shell }).status, 0);
  const json = all.filter(({ operation }) => !isUpload(operation) && !isStream(operation));
  for (const one of json) assert.ok(stripTypeScriptTypes(programs.TypeScript(one, url)).length > 0);
  if (!has("python3")) return;
  const sources = json.map((one) => programs.Python(one, url));
  const check = "import ast, json, sys\nfor one in json.load(sys.stdin): ast.parse(one)";
  const input = JSON.stringify(sources);
  const read = spawnSync("python3", ["-c", check], { input });
  assert.equal(read.status, 0, String(read.stderr));
});

test("a body with quotes reaches curl as it was written", () => {
  const place = operations.find(({ id }) => id === "openRfq");
  assert.ok(place !== undefined);
  const body = '{"label": "it\'s $HOME"}';
  const program = programs.curl({ operation: place, values: {}, body }, "http://127.0.0.1:4600");
  const input = `curl() { for word; do printf '%s\\n' "$word"; done; }\n${program}`;
  const { stdout } = spawnSync("sh", [], { input, encoding: "utf8" });
  assert.ok(stdout.split("\n").includes(body), stdout);
});

test("an example is moved to the exchange's own time, and nothing else of it changes", () => {
  const taken = { unixSeconds: 1_732_060_800, month: "2024-10" };
  const now = { unixSeconds: 1_732_060_800 + 60, month: "2026-01" };
  const moved = (text: string): string => movedText(text, taken, now);
  assert.equal(
    moved("srs.zhvi.state-tx.b2024-10.e2025-10.L0200-1000 rel-17"),
    "srs.zhvi.state-tx.b2026-01.e2027-01.L0200-1000 rel-17",
  );
  assert.equal(
    moved('{"closesAt": 1732104000, "amount": "100"}'),
    '{"closesAt": 1732104060, "amount": "100"}',
  );
  assert.equal(moved("2024-11-20T00:00:00.000Z"), "2024-11-20T00:01:00.000Z");
  const place = operations.find(({ id }) => id === "getIndexValue");
  assert.ok(place !== undefined);
  assert.equal(
    addressOf({ operation: place, values: { nodeId: "state:tx", index: "" }, body: undefined }),
    "/api/index/state%3Atx",
  );
});
