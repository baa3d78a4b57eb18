// A run over every operation of a real exchange: every answer keeps its schema, and the examples of
// the reference are what this run gives (`npm run openapi -- --record` takes them anew).
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { test } from "node:test";
import { Exchange } from "#test/support/exchange.ts";
import { examplesPath, readExamples } from "../../tools/openapi.ts";
import { placeOf } from "../../tools/openapi-document.ts";
import { Contract } from "./contract.ts";
import { PublicWorld } from "./public-world.ts";
import { tour } from "./tour.ts";

test("a run over every operation gives the examples of the reference", async (t) => {
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
  const recorded = JSON.stringify(Object.fromEntries(examples), null, 2);
  if (process.env.OPENAPI_RECORD === "1") writeFileSync(examplesPath, `${recorded}\n`);
  assert.deepEqual(
    Object.fromEntries(readExamples()),
    JSON.parse(recorded),
    "tools/openapi-examples.json is what this run gives: npm run openapi -- --record",
  );
});
