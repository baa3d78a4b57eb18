// The reference against a real run: every operation is asked, every answer keeps its schema, and
// the committed document is the one this run gives (`node tools/openapi.ts --write` renews it).
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { Exchange } from "#test/support/exchange.ts";
import manifest from "../../package.json" with { type: "json" };
import { openapiDocument, placeOf } from "../../tools/openapi-document.ts";
import { Contract } from "./contract.ts";
import { PublicWorld } from "./public-world.ts";
import { tour } from "./tour.ts";

const committed = new URL("../../docs/reference/openapi.json", import.meta.url);

test("a run over every operation gives the committed reference, examples and all", async (t) => {
  const { routes } = (await PublicWorld.open(t)).world;
  const documented = routes.filter(({ surface }) => surface !== "page");
  const contract = new Contract(routes);
  const exchange = await Exchange.start(t, {
    FIRSTPRINT_CLOCK: "sandbox",
    FIRSTPRINT_DATA_PROVIDER: "Example Provider",
    FIRSTPRINT_PUBLIC_RATE: "60",
  });
  const examples = await tour(exchange, (place, status, body) =>
    contract.judge(place, status, body),
  );

  assert.deepEqual(contract.breaches, [], "every answer keeps its schema");
  assert.deepEqual(
    documented.map(placeOf).filter((place) => !examples.has(place)),
    [],
    "every operation was asked",
  );
  const document = openapiDocument(routes, manifest.version, examples);
  if (process.env.OPENAPI_WRITE === "1") {
    writeFileSync(committed, `${JSON.stringify(document, null, 2)}\n`);
  }
  assert.deepEqual(
    JSON.parse(readFileSync(committed, "utf8")),
    JSON.parse(JSON.stringify(document)),
    "docs/reference/openapi.json is what this run gives: node tools/openapi.ts --write",
  );
});
