// The reader of Zillow files: pieces, blocks, and refusals that need a file of their own.
import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_LINE_BYTES } from "#ingest/sources/wide-csv.ts";
import { readZillowWide, type ZillowFileKind } from "#ingest/sources/zillow.ts";
import { monthEnds, pieces, readAll, refusalFor, stateFile, stateKind } from "./wide-file.ts";

const fileOf = (...lines: readonly string[]): string => `${lines.join("\n")}\n`;
const kindOf = (index: "zhvi" | "zori", level: ZillowFileKind["level"]): ZillowFileKind => ({
  index,
  level,
});

test("a line of nothing but commas is refused in the layouts since 2020", async () => {
  const blank = `${",".repeat(64)}\n`;
  const refusal = await refusalFor(stateFile() + blank);
  assert.deepEqual([refusal?.code, refusal?.line], ["BAD_REGION_ID", 12]);
});

test("the pieces a file comes in do not matter", async () => {
  const bytes = Buffer.from(stateFile(7));
  const whole = await readAll(bytes);
  for (const size of [1, 2, 13, 4096, bytes.length]) {
    const file = await readZillowWide(pieces(bytes, size), stateKind);
    assert.deepEqual(await Array.fromAsync(file.rows), whole, `pieces of ${size}`);
  }
});

test("line numbers hold beyond the first block of a long file", async () => {
  const [header = "", line = ""] = stateFile().split("\n");
  const rows = Array.from({ length: 900 }, (_, at) => line.replace(/^\d+/, String(at + 1)));
  const good = await readAll(fileOf(header, ...rows));
  assert.deepEqual([good.length, good.at(-1)?.line, good.at(-1)?.regionId], [900, 901, "900"]);

  const damaged: readonly (readonly [string, string])[] = [
    ["BAD_NUMBER", line.replace(/^\d+/, "777").replace(/,[0-9.]+$/, ",1e5")],
    ["BROKEN_QUOTES", line.replace(/^\d+/, "777").replace(/,([0-9.]+)$/, ',1"$1')],
    ["NUL_BYTE", `${line}\0`],
    ["DUPLICATE_REGION", line.replace(/^\d+/, "4")],
  ];
  for (const [code, bad] of damaged) {
    const refusal = await refusalFor(fileOf(header, ...rows.with(776, bad)));
    assert.deepEqual([refusal?.code, refusal?.line], [code, 778]);
  }
});

test("a spreadsheet's lost zeros are told from other nonsense", async () => {
  const county = (state: string, municipal: string): string =>
    fileOf(
      "RegionID,SizeRank,RegionName,RegionType,StateName,State,Metro," +
        "StateCodeFIPS,MunicipalCodeFIPS,2022-01-31",
      `3101,0,Los Angeles County,county,CA,CA,,${state},${municipal},1.0`,
    );
  const zip = (name: string): string =>
    fileOf(
      "RegionID,SizeRank,RegionName,RegionType,StateName,State,City,Metro,CountyName,2022-01-31",
      `61148,7,${name},zip,NJ,NJ,Lakewood,,Ocean County,1.0`,
    );
  const cases: readonly (readonly [string, ZillowFileKind["level"], string, string])[] = [
    [county("6", "037"), "county", "LEADING_ZEROS_LOST", "StateCodeFIPS"],
    [county("06", "37"), "county", "LEADING_ZEROS_LOST", "MunicipalCodeFIPS"],
    [county("CA", "037"), "county", "BAD_CELL", "StateCodeFIPS"],
    [zip("8701"), "zip", "LEADING_ZEROS_LOST", "RegionName"],
    [zip("501"), "zip", "LEADING_ZEROS_LOST", "RegionName"],
    [zip("Lakewood"), "zip", "BAD_CELL", "RegionName"],
    [zip("08701"), "neighborhood", "WRONG_LEVEL", "RegionType"],
  ];
  for (const [text, level, code, column] of cases) {
    const refusal = await refusalFor(text, kindOf("zhvi", level));
    assert.deepEqual([refusal?.code, refusal?.line, refusal?.column], [code, 2, column]);
  }
});

test("StateName and State must agree", async () => {
  const refusal = await refusalFor(
    fileOf(
      "RegionID,SizeRank,RegionName,RegionType,StateName,State,Metro,CountyName,2022-01-31",
      "6181,0,New York,city,NJ,NY,,Queens County,1.0",
    ),
    kindOf("zori", "city"),
  );
  assert.deepEqual([refusal?.code, refusal?.column], ["BAD_CELL", "StateName"]);
});

test("rounding shows by share in short rows, and is no matter before January 2023", async () => {
  const header = (months: readonly string[]): string =>
    `RegionID,SizeRank,RegionName,RegionType,StateName,${months.join(",")}`;
  const rows = (values: string): string[] =>
    Array.from(
      { length: 30 },
      (_, at) => `${at + 1},${at},Place ${"ab"[at % 2]}${at}x,state,,${values}`,
    );

  const rounded = await refusalFor(fileOf(header(["2023-01-31"]), ...rows("1234.567890")));
  assert.deepEqual([rounded?.code, rounded?.line], ["ROUNDED_CELLS", null]);
  assert.match(rounded?.message ?? "", /Only 0 of 30 values/);
  await readAll(fileOf(header(["2023-01-31"]), ...rows("1234.5678901234567")));

  const before = monthEnds(24);
  assert.equal(before.at(-1), "2022-12-31");
  await readAll(fileOf(header(before), ...rows(before.map(() => "1234.5").join(","))));
});

test("a line without end is refused before it is held", async () => {
  let sent = 0;
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (;;) {
      sent += 65_536;
      yield Buffer.alloc(65_536, "7");
    }
  }
  await assert.rejects(readZillowWide(endless(), stateKind), { code: "LINE_TOO_LONG", line: 1 });
  assert.ok(sent <= 4 * MAX_LINE_BYTES, `${sent} bytes were read`);
});

test("a refused header lets go of the source", async () => {
  let released = false;
  async function* source(): AsyncGenerator<Uint8Array> {
    try {
      yield Buffer.from("DATE,VALUE\n".repeat(40_000));
      yield Buffer.from("2022-01-01,5.8\n");
    } finally {
      released = true;
    }
  }
  await assert.rejects(readZillowWide(source(), stateKind), { code: "OTHER_PROVIDER" });
  assert.equal(released, true);
});

test("a fault of the source stays that fault", async () => {
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(stateFile().slice(0, 5000));
    throw new Error("disk gone");
  }
  await assert.rejects(
    async () => Array.fromAsync((await readZillowWide(broken(), stateKind)).rows),
    /disk gone/,
  );
});
