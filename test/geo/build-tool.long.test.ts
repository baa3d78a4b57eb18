// tools/build-hierarchy.ts as an operator runs it: a table on standard output, or a reason.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const program = fileURLToPath(new URL("../../bin/firstprint", import.meta.url));
const tool = fileURLToPath(new URL("../../tools/build-hierarchy.ts", import.meta.url));

const cityFile = (...lines: readonly string[]): string =>
  ["RegionID,SizeRank,RegionName,RegionType,StateName,State,Metro,CountyName,2024-10-31", ...lines]
    .map((line) => `${line}\n`)
    .join("");
const austin = '10221,1,Austin,city,TX,TX,"Austin, TX",Travis County,500000.123456789';
const oakwood = '500,2,"Oakwood, The",city,TX,TX,,Travis County,300000.123456789';
const elder = "3,3,Oakwood The,city,TX,TX,,Travis County,200000.123456789";
/** As the gazetteer of 2010 is: blanks at the end of lines, and Latin-1 once it is written. */
const counties = ["USPS\tGEOID\tNAME\tHU10", "TX\t48453\tTravis County\t441240"]
  .concat("NM\t35013\tDoña Ana County\t81492", "\t\t\t")
  .map((line) => `${line}   \n`)
  .join("");

interface Ran {
  readonly code: number;
  readonly table: string;
  readonly told: string;
}

function inFolder(t: TestContext, files: Readonly<Record<string, string | Buffer>>) {
  const folder = mkdtempSync(join(tmpdir(), "firstprint-hierarchy-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const keep = (name: string, text: string | Buffer) => writeFileSync(join(folder, name), text);
  for (const [name, text] of Object.entries(files)) keep(name, text);
  const runAs = (file: string, words: readonly string[]): Promise<Ran> =>
    new Promise((resolve) => {
      execFile(file, words, { cwd: folder }, (fault, table, told) =>
        resolve({ code: fault === null ? 0 : Number(fault.code), table, told }),
      );
    });
  const run = (...words: readonly string[]): Promise<Ran> =>
    runAs(process.execPath, [tool, ...words]);
  return { run, runAs, keep };
}

test("files in, table out; the order of files changes no byte; known ids stay", async (t) => {
  const { run, keep } = inFolder(t, {
    "a.csv": cityFile(austin, oakwood),
    "b.csv.gz": gzipSync(cityFile(elder)),
    "counties.txt": Buffer.from(counties, "latin1"),
  });
  const first = await run("--zillow", "a.csv", "--counties", "counties.txt");
  assert.deepEqual(first.code, 0, first.told);
  assert.deepEqual(first.table.split("\n"), [
    "id,level,name,stateCode,fips,aliases,parentIds,housingUnits,providerIds",
    "county:35013,county,Doña Ana County,NM,35013,,state:nm,81492,",
    "county:48453,county,Travis County,TX,48453,,state:tx,441240,",
    "city:austin-tx,city,Austin,TX,,,county:48453,,zillow:10221",
    'city:oakwood-the-tx,city,"Oakwood, The",TX,,,county:48453,,zillow:500',
    "",
  ]);
  assert.match(first.told, /4 places: state 0, county 2, city 2, neighborhood 0, zip 0/);

  const both = await run("--counties", "counties.txt", "--zillow", "a.csv", "b.csv.gz");
  const turned = await run("--zillow", "b.csv.gz", "a.csv", "--counties", "counties.txt");
  assert.equal(turned.table, both.table);
  assert.match(both.table, /^city:oakwood-the-tx-500,/m, "a lower RegionID has the plain id");
  keep("known.csv", first.table);
  const known = ["--known", "known.csv"];
  const kept = await run("--zillow", "a.csv", "b.csv.gz", "--counties", "counties.txt", ...known);
  assert.match(kept.table, /^city:oakwood-the-tx,.*zillow:500$/m);
  assert.match(kept.table, /^city:oakwood-the-tx-3,.*zillow:3$/m);
});

test("a file that cannot be read is named with the reason, and nothing is written", async (t) => {
  const { run } = inFolder(t, {
    "a.csv": cityFile(austin).replace("2024-10-31", "10/31/2024"),
    "counties.txt": "name\nTravis\n",
  });
  for (const [words, reason] of [
    [["--zillow", "a.csv"], /a\.csv: .*spreadsheet/],
    [["--counties", "counties.txt"], /counties\.txt: there is no column GEOID/],
    [["--zips", "none.csv"], /none\.csv: ENOENT/],
  ] as const) {
    const { code, table, told } = await run(...words);
    assert.equal(code, 1);
    assert.equal(table, "");
    assert.match(told, reason);
  }
});

test("misuse tells the usage", async (t) => {
  const { run } = inFolder(t, {});
  for (const words of [[], ["a.csv"], ["--zillow"], ["--towns", "a.csv"]]) {
    const { code, table, told } = await run(...words);
    assert.equal(code, 2, words.join(" "));
    assert.equal(table, "");
    assert.match(told, /usage: node tools\/build-hierarchy\.ts/);
  }
});

test("`firstprint geo build` gives the same table as the tool", async (t) => {
  const { run, runAs } = inFolder(t, { "a.csv": cityFile(austin), "counties.txt": counties });
  const byTool = await run("--zillow", "a.csv", "--counties", "counties.txt");
  const words = ["geo", "build", "a.csv", "--counties", "counties.txt"];
  const byCommand = await runAs(program, words);
  assert.deepEqual(byCommand, byTool);
  assert.match(byTool.table, /^city:austin-tx,/m);
});
