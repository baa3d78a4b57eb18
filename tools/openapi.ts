// The API reference and the SDK's types, made of the routes: `npm run openapi` writes both, as
// `npm ci` does. `npm run openapi -- --record` first asks a running exchange for its examples anew.
// Invariant: what is made depends on the sources and tools/openapi-examples.json, and nothing else.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { operationRoutes } from "#http/operations.ts";
import manifest from "../package.json" with { type: "json" };
import { type Example, openapiDocument } from "./openapi-document.ts";
import { typesOf } from "./sdk-types.ts";

const checkout = fileURLToPath(new URL("../", import.meta.url));

/** Made, and not committed. */
const documentPath = `${checkout}sdk/openapi.json`;
const typesPath = `${checkout}sdk/src/openapi.ts`;

/** By operation: the tour of test/http/openapi.e2e.test.ts sent this and was answered so. */
export const examplesPath = `${checkout}tools/openapi-examples.json`;

export const readExamples = (): ReadonlyMap<string, Example> =>
  new Map(Object.entries<Example>(JSON.parse(readFileSync(examplesPath, "utf8"))));

/** The document of the routes as they are in this process. */
export function drawDocument(): unknown {
  // No route is asked here, so none needs anything of an exchange.
  const nothing = new Proxy(Object.create(null), { get: () => undefined });
  const document = openapiDocument(operationRoutes(nothing), manifest.version, readExamples());
  return JSON.parse(JSON.stringify(document));
}

/** Returns the status that the process ends with. */
function main(isRecording: boolean): number {
  if (isRecording) {
    const status = record();
    if (status !== 0) return status;
  }
  const document = drawDocument();
  writeFileSync(documentPath, `${JSON.stringify(document, null, 2)}\n`);
  writeFileSync(typesPath, typesOf(document));
  return 0;
}

function record(): number {
  const run = (...words: readonly string[]): number =>
    spawnSync(process.execPath, words, {
      cwd: checkout,
      env: { ...process.env, OPENAPI_RECORD: "1" },
      stdio: "inherit",
    }).status ?? 1;
  const biome = "node_modules/@biomejs/biome/bin/biome";
  return (
    run("--test", "test/http/openapi.e2e.test.ts") || run(biome, "format", "--write", examplesPath)
  );
}

if (import.meta.main) process.exitCode = main(process.argv.includes("--record"));
