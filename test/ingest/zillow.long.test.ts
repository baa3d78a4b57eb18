// The reader of every Zillow layout, and refusals that need a file of their own.
import assert from "node:assert/strict";
import { test } from "node:test";
import { formatMonth } from "#base/month.ts";
import { formatPrintValue } from "#base/print-value.ts";
import { MAX_LINE_BYTES } from "#ingest/sources/wide-csv.ts";
import { readZillowWide, type ZillowFileKind, type ZillowRow } from "#ingest/sources/zillow.ts";
import { monthEnds, pieces, readAll, refusalFor, stateFile, stateKind } from "./wide-file.ts";

const valuesOf = (row: ZillowRow | undefined): (string | null)[] =>
  (row?.history.values ?? []).map((value) => (value === null ? null : formatPrintValue(value)));

const fileOf = (...lines: readonly string[]): string => `${lines.join("\n")}\n`;
const kindOf = (index: "zhvi" | "zori", level: ZillowFileKind["level"]): ZillowFileKind => ({
  index,
  level,
});

test("a value keeps every digit, a blank cell is null", async () => {
  const [row] = await readAll(
    fileOf(
      "RegionID,SizeRank,RegionName,RegionType,StateName,2025-01-31,2025-02-28,2025-03-31",
      "9,0,California,state,,123456.78901234567,,0.000000000000001",
    ),
  );
  assert.deepEqual(valuesOf(row), ["123456.78901234567", null, "0.000000000000001"]);
  assert.equal(row && formatMonth(row.history.firstMonth), "2025-01");
  assert.deepEqual(
    { ...row, history: null },
    {
      line: 2,
      regionId: "9",
      regionName: "California",
      level: "state",
      stateCode: null,
      countyFips: null,
      city: null,
      metro: null,
      county: null,
      history: null,
    },
  );
});

test("the country's row of a metro file is the nation", async () => {
  const rows = await readAll(
    fileOf(
      "RegionID,SizeRank,RegionName,RegionType,StateName,2022-01-31",
      "102001,0,United States,Country,,1000.0",
      '394913,1,"New York, NY",Msa,NY,2000.5',
    ),
    kindOf("zori", "metro"),
  );
  assert.deepEqual(
    rows.map((row) => [row.level, row.regionName, row.stateCode]),
    [
      ["nation", "United States", null],
      ["metro", "New York, NY", "NY"],
    ],
  );
});

test("county, city, zip and neighborhood layouts name their places", async () => {
  const months = "2022-01-31,2022-02-28";
  const start = "RegionID,SizeRank,RegionName,RegionType,StateName,State";
  const [county] = await readAll(
    fileOf(
      `${start},Metro,StateCodeFIPS,MunicipalCodeFIPS,${months}`,
      '3101,0,Los Angeles County,County,CA,CA,"Los Angeles-Long Beach, CA",06,037,1.0,2.0',
    ),
    kindOf("zhvi", "county"),
  );
  assert.equal(county?.countyFips, "06037");
  assert.equal(county?.metro, "Los Angeles-Long Beach, CA");
  const [city] = await readAll(
    fileOf(
      `${start},Metro,CountyName,${months}`,
      '6181,0,New York,city,NY,NY,"New York, NY",Queens County,1.0,',
    ),
    kindOf("zori", "city"),
  );
  assert.deepEqual([city?.county, city?.stateCode], ["Queens County", "NY"]);
  const zipHeader = `${start},City,Metro,CountyName,${months}`;
  const [zip] = await readAll(
    fileOf(zipHeader, "61148,7,08701,zip,NJ,NJ,Lakewood,,Ocean County,1.0,2.0"),
    kindOf("zhvi", "zip"),
  );
  assert.deepEqual([zip?.regionName, zip?.city, zip?.metro], ["08701", "Lakewood", null]);
  const [neighborhood] = await readAll(
    fileOf(zipHeader, "5,7,Ca±on,Neighborhood,CA,CA,Fresno,,Fresno County,,"),
    kindOf("zhvi", "neighborhood"),
  );
  assert.equal(neighborhood?.regionName, "Ca±on");
  assert.deepEqual(valuesOf(neighborhood), [null, null]);
});

test("the country's row of a metro file of before 2020 is the nation, too", async () => {
  const rows = await readAll(
    fileOf(
      '"RegionID","RegionName","SizeRank","2018-01"',
      '102001,"United States",0,206300',
      '394913,"New York, NY",1,427900',
    ),
    kindOf("zhvi", "metro"),
  );
  assert.deepEqual(
    rows.map((row) => [row.level, row.regionName, row.regionId]),
    [
      ["nation", "United States", "102001"],
      ["metro", "New York, NY", "394913"],
    ],
  );
});

test("rents in the layout of before 2020 are of another index, or another cut", async () => {
  const file = fileOf("RegionID,RegionName,SizeRank,2019-01", '394913,"New York, NY",1,2400');
  const refusal = await refusalFor(file, kindOf("zori", "metro"));
  assert.equal(refusal?.code, "OTHER_CUT");
  assert.equal(refusal?.line, 1);
  assert.match(refusal?.message ?? "", /Zillow Rent Index/);
  assert.equal(await refusalFor(file, kindOf("zhvi", "metro")), undefined);
});

test("the layouts of before 2020: quoted, CRLF, plain months, blank lines", async () => {
  const county = [
    '"RegionID","RegionName","State","Metro","StateCodeFIPS","MunicipalCodeFIPS","SizeRank",' +
      '"1996-04","1996-05"',
    '3101,"Los Angeles","CA","Los Angeles-Long Beach","06","037",1,111100,222200',
    "",
  ].join("\r\n");
  const [row] = await readAll(county, kindOf("zhvi", "county"));
  assert.deepEqual([row?.countyFips, ...valuesOf(row)], ["06037", "111100", "222200"]);

  const neighborhoods = [
    "RegionID,RegionName,City,State,Metro,CountyName,SizeRank,1996-04",
    ",,,,,,,",
    "77,Willow,Fresno,CA,Fresno,Fresno,5,333300",
    ",,,,,,,",
    "",
  ].join("\r\n");
  const rows = await readAll(neighborhoods, kindOf("zhvi", "neighborhood"));
  assert.deepEqual(
    rows.map((it) => [it.line, it.regionName]),
    [[3, "Willow"]],
  );
  const state = await readAll(
    '"RegionID","RegionName","SizeRank","1996-04"\r\n9,"California",1,444400\r\n',
    stateKind,
  );
  assert.equal(state[0]?.regionName, "California");
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
