// The committed API reference, docs/reference/openapi.json: `node tools/openapi.ts` says whether it
// is what a run over every operation gives, `node tools/openapi.ts --write` makes it so, and the
// SDK's types with it.
// Invariant: the document is written by the test that judges it, so the two cannot disagree.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const isWrite = process.argv[2] === "--write";
const test = ["--test", "test/http/openapi.e2e.test.ts"];
const format = ["node_modules/@biomejs/biome/bin/biome", "format", "--write", "docs/reference"];

const run = (argv: readonly string[]): number =>
  spawnSync(process.execPath, argv, {
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    env: { ...process.env, ...(isWrite ? { OPENAPI_WRITE: "1" } : {}) },
    stdio: "inherit",
  }).status ?? 1;

const types = ["tools/sdk-types.ts", "--write"];
process.exitCode = run(test) || (isWrite ? run(format) || run(types) : 0);
