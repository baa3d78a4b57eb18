// Every form of file that a provider has published, made up, is read by its reader: each value
// arrives at its place and month, or the file is refused where it says.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { addMonths, formatMonth, type Month } from "#base/month.ts";
import { formatPrintValue } from "#base/print-value.ts";
import { readPanel } from "#cli/backtest/file.ts";
import { GeoTree } from "#geo/tree.ts";
import { readCounties, readHomes, readRegions, readZctas, readZips } from "#ingest/places/build.ts";
import { PlaceIntake } from "#ingest/places/intake.ts";
import { openProviderFile } from "#ingest/sources/open-provider-file.ts";
import type { ProviderRow } from "#ingest/sources/provider-file.ts";
import type { Panel, PanelNode } from "#pricing/backtest/panel.ts";
import type { PricingLevel } from "#pricing/constants.ts";
import { ReleaseRefusal } from "#prints/refusal.ts";
import {
  type Arrived,
  type Form,
  type ReleaseForm,
  releaseForms,
} from "#test/support/made-forms.ts";
import { type ListForm, listForms, panelForms } from "#test/support/made-list-forms.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";
import { pieces } from "./wide-file.ts";

const placeOf = (row: ProviderRow): string =>
  [row.regionId, row.regionName, row.level, row.stateCode, row.countyFips, row.city, row.county]
    .map((field) => field ?? "")
    .join("|");

const byMonth = (first: Month, values: readonly (string | null)[]): Record<string, string> =>
  Object.fromEntries(
    values.flatMap((value, at) =>
      value === null ? [] : [[formatMonth(addMonths(first, at)), value]],
    ),
  );

async function arrived({ bytes, changes = [], ...origin }: ReleaseForm): Promise<Arrived> {
  const file = await openProviderFile(pieces(Buffer.from(bytes)), origin);
  const rows = await Array.fromAsync(file.rows);
  assert.deepEqual(file.changes ?? [], changes, "what two people are told of the form");
  return Object.fromEntries(
    rows.map((row): [string, Record<string, string>] => {
      const { firstMonth, values } = row.history;
      const texts = values.map((value) => (value === null ? null : formatPrintValue(value)));
      return [placeOf(row), byMonth(firstMonth, texts)];
    }),
  );
}

/** Of the file's regions those that the form names. */
const among = (all: Arrived, named: Arrived): Arrived =>
  Object.fromEntries(Object.entries(all).filter(([place]) => place in named));

const told = ({ code, line, column }: Pick<ReleaseRefusal, "code" | "line" | "column">) => ({
  ...{ code, line, column },
});

for (const form of releaseForms) {
  const { provider, index, level, from, particular, arrives, regions, refused, notYet } = form;
  const todo = notYet === undefined ? "" : ` (refused until ${notYet})`;
  test(`${provider} ${index} ${level} of ${from}: ${particular}${todo}`, async () => {
    if (arrives !== undefined) {
      const all = await arrived(form);
      assert.deepEqual(among(all, arrives), arrives);
      assert.equal(Object.keys(all).length, regions ?? Object.keys(arrives).length);
      return;
    }
    await assert.rejects(arrived(form), (error) => {
      assert.ok(error instanceof ReleaseRefusal, String(error));
      assert.deepEqual(told(error), refused);
      return true;
    });
  });
}

/** `level|RegionID|name|state|FIPS|city|county`, as the hierarchy's builder takes a region. */
async function regionsIn(bytes: Form["bytes"]): Promise<readonly string[]> {
  const regions = await readRegions(() => pieces(Buffer.from(bytes)));
  return regions.map(({ level, regionId, name, stateCode, countyFips, city, county }) =>
    [regionId, name, level, stateCode, countyFips, city, county].map((it) => it ?? "").join("|"),
  );
}

async function panelOf(t: TestContext, bytes: Form["bytes"], level?: PricingLevel) {
  const path = join(await temporaryFolder(t, "firstprint-panel-"), "file.csv");
  writeFileSync(path, bytes);
  return readPanel(path, "zhvi", level);
}

/** To four decimals. */
const pricesOf = ({ firstMonth }: Panel, { logs }: PanelNode): Record<string, string> =>
  byMonth(
    firstMonth,
    Array.from(logs, (log) => (Number.isNaN(log) ? null : Math.exp(log).toFixed(4))),
  );

const wide = releaseForms.filter(({ provider }) => provider === "zillow");
for (const { level, from, particular, bytes, index, arrives } of wide) {
  if (arrives === undefined || level === "nation") continue;
  test(`${index} ${level} of ${from} in a hierarchy, and in a backtest: ${particular}`, async (t) => {
    const places = Object.keys(arrives).filter((place) => !/\|(metro|nation)\|/.test(place));
    assert.deepEqual(await regionsIn(bytes), places);

    const panel = await panelOf(t, bytes, level);
    const found = panel.nodes
      .filter(({ name }) => name !== "")
      .map((node): [string, Record<string, string>] => [node.name, pricesOf(panel, node)]);
    const due = Object.entries(arrives).map(([place, values]): [string, Record<string, string>] => [
      place.split("|")[1] ?? "",
      Object.fromEntries(
        Object.entries(values).map(([month, value]) => [month, Number(value).toFixed(4)]),
      ),
    ]);
    assert.deepEqual(found, due);
  });
}

async function loaded(bytes: ListForm["bytes"], pieceBytes = 7, rows?: number): Promise<unknown> {
  const durable = { geo: GeoTree.builtIn(), releases: new Map() };
  const reader = { whileIdle: <T>(work: () => Promise<T>) => work(), reread: () => undefined };
  let places: readonly string[] = [];
  const answer = await new PlaceIntake(durable, reader, rows).load(
    pieces(Buffer.from(bytes), pieceBytes),
    (command) => {
      assert.equal(command.type, "LoadGeo");
      if (command.type === "LoadGeo") places = command.nodes.map(({ id, name }) => `${id} ${name}`);
      return Promise.resolve({ refused: "NOT_LEADER" });
    },
  );
  if (!("refusal" in answer)) return places;
  const { code, line, column, message } = answer.refusal;
  const why = code === "NOT_UTF8" ? /save the file as CSV UTF-8/ : /exceed|more than/;
  assert.match(message, why);
  return { code, line, column };
}

test("a places table is refused where a row or the table grows without end", async () => {
  const head = "id,level,name\n";
  const refusedAt = (line: number) => ({ code: "BAD_HIERARCHY", line, column: null });
  const grown: readonly (readonly [string, number])[] = [
    [`${head}"${"a\n".repeat(100_000)}`, 2],
    [`${head}${",".repeat(101)}\n`, 2],
    [`${head}${"\n".repeat(1_001)}`, 1_001],
  ];
  for (const [text, line] of grown) {
    assert.deepEqual(await loaded(Buffer.from(text), 65_536, 1_000), refusedAt(line));
  }
});

const lists: Readonly<Record<ListForm["list"], (bytes: Buffer) => unknown>> = {
  counties: readCounties,
  zctas: (bytes) => [...readZctas(bytes)],
  zips: readZips,
  homes: (bytes) => [...readHomes(bytes)],
  hierarchy: loaded,
};

for (const { list, from, particular, bytes, arrives, refused } of listForms) {
  test(`the list of ${list} of ${from}: ${particular}`, async () => {
    assert.deepEqual(await lists[list](Buffer.from(bytes)), refused ?? arrives);
  });
}

for (const { provider, from, particular, bytes, arrives, refused, notYet } of panelForms) {
  const todo = notYet === undefined ? "" : ` (refused until ${notYet})`;
  test(`${provider} for a backtest, of ${from}: ${particular}${todo}`, async (t) => {
    const reading = panelOf(t, bytes);
    if (refused !== undefined) {
      await assert.rejects(reading, refused);
      return;
    }
    const panel = await reading;
    const found = panel.nodes.map((node): [string, Record<string, string>] => [
      [node.name, panel.level, node.state ?? ""].join("|"),
      pricesOf(panel, node),
    ]);
    assert.deepEqual(Object.fromEntries(found), arrives);
  });
}
