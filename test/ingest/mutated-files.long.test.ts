// Ten thousand provider files with blind damage, through the real readers. Each is refused, with a
// code and a place that is in the file, or read: then it says what a second reader, which checks
// nothing and shares nothing with the first, reads in the damaged bytes. The long run:
//
//   FIRSTPRINT_MUTATIONS=1000000 node --test test/ingest/mutated-files.long.test.ts
//
// FIRSTPRINT_MUTATIONS: how many in all; FIRSTPRINT_MUTATIONS_SEED: another draw.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { gzipSync } from "node:zlib";
import { addMonths, formatMonth } from "#base/month.ts";
import { RawFolder } from "#ingest/raw-folder.ts";
import { readCensusHvs } from "#ingest/sources/census-hvs.ts";
import { readFred } from "#ingest/sources/fred.ts";
import { readNclimdiv } from "#ingest/sources/nclimdiv.ts";
import type { ProviderFile } from "#ingest/sources/provider-file.ts";
import { readZillowWide } from "#ingest/sources/zillow.ts";
import { ReleaseRefusal } from "#prints/refusal.ts";
import type { Draw } from "#test/http/hostile-values.ts";
import { drawing } from "#test/journal/sealed.ts";
import { sizeOfRun } from "#test/support/size-of-run.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";
import { blindDamage, damage } from "./blind-damage.ts";
import { vintageOf } from "./climate-file.ts";
import { hvsGrid } from "./hvs-file.ts";
import { metroFile } from "./intake-world.ts";
import {
  type Prints,
  plainBytes,
  plainFred,
  plainRain,
  plainVacancy,
  plainWide,
} from "./plain-readers.ts";
import { pieces, stateFile } from "./wide-file.ts";
import { partsOf, zipOf } from "./workbook-file.ts";

const total = sizeOfRun("FIRSTPRINT_MUTATIONS", 10_000);
const seed = sizeOfRun("FIRSTPRINT_MUTATIONS_SEED", 1);

type Source = AsyncIterable<Uint8Array>;

interface Format {
  readonly name: string;
  /** Of a hundred cases. */
  readonly share: number;
  readonly whole: Buffer;
  readonly read: (source: Source) => Promise<ProviderFile>;
  /** The prints in the damaged bytes. */
  readonly says: (bytes: Buffer) => Prints;
  /** Instead of damage to the file as it is sent. */
  readonly packed?: (damaged: Buffer) => Buffer;
}

const months = Array.from({ length: 24 }, (_, at) => String(200_000 + 317 * at));
const regions: readonly (readonly [string, readonly string[]])[] = [
  ["394913", months],
  ["753899", months.map((value) => `${value}.5`)],
  ["394463", months.map((value, at) => (at < 3 || at === 9 ? "" : value))],
];

const fred = ["DATE,RRVRUSQ156N"];
for (let at = 0; at < 40; at += 1) {
  const date = `${1990 + Math.floor(at / 4)}-${["01", "04", "07", "10"][at % 4]}-01`;
  fred.push(`${date},${at === 7 ? "." : `${5 + (at % 4)}.${at % 10}`}`);
}

const grid = hvsGrid("state");
const parts = partsOf(grid);
const partNamed = (name: string): Buffer => Buffer.from(parts.get(name) ?? "");
const workbook = zipOf(parts, { level: 0 });
const unharmed = plainVacancy(parts, grid);

/** A part of the workbook is damaged, and packed as if it were meant so. */
const ofPart = (name: string): Omit<Format, "name" | "share"> => ({
  whole: partNamed(name),
  read: (source) => readCensusHvs(source, "state"),
  says: (bytes) => plainVacancy(new Map([...parts, [name, bytes]]), grid),
  packed: (bytes) => zipOf(new Map([...parts, [name, bytes]])),
});

const SHEET = "xl/worksheets/sheet1.xml";
const sheet = partNamed(SHEET).toString();
const stored = [...sheet.matchAll(/<v>(.*?)<\/v>/g)].map(([, value = ""]) => value);

/** The sheet with other texts in its cells, a line each. */
function sheetWith(texts: Buffer): Buffer {
  const left = texts.toString("latin1").split("\n");
  return Buffer.from(sheet.replaceAll(/<v>.*?<\/v>/g, () => `<v>${left.shift() ?? ""}</v>`));
}

const zillow = (source: Source) => readZillowWide(source, { index: "zhvi", level: "state" });

const formats: readonly Format[] = [
  {
    name: "ZHVI by state",
    share: 26,
    whole: Buffer.from(stateFile()),
    read: zillow,
    says: plainWide,
  },
  {
    name: "ZHVI by metro, before 2023",
    share: 20,
    whole: Buffer.from(metroFile(24, regions)),
    read: (source) => readZillowWide(source, { index: "zhvi", level: "metro" }),
    says: plainWide,
  },
  {
    name: "FRED",
    share: 20,
    whole: Buffer.from(`${fred.join("\n")}\n`),
    read: readFred,
    says: plainFred,
  },
  {
    name: "nClimDiv",
    share: 12,
    whole: Buffer.from(vintageOf("precipitation", "1991-09")),
    read: readNclimdiv,
    says: plainRain,
  },
  { name: "a sheet of HVS", share: 4, ...ofPart(SHEET) },
  {
    name: "the cells of HVS",
    share: 4,
    whole: Buffer.from(stored.join("\n")),
    read: (source) => readCensusHvs(source, "state"),
    says: (texts) => plainVacancy(new Map([...parts, [SHEET, sheetWith(texts)]]), grid),
    packed: (texts) => zipOf(new Map([...parts, [SHEET, sheetWith(texts)]])),
  },
  { name: "the texts of HVS", share: 4, ...ofPart("xl/sharedStrings.xml") },
  {
    name: "the container of HVS",
    share: 10,
    whole: workbook,
    read: (source) => readCensusHvs(source, "state"),
    // Its parts have checksums: what is read is what was packed, whole, or nothing.
    says: () => unharmed,
  },
];

interface Outcome {
  readonly refusal: ReleaseRefusal | undefined;
  readonly prints: Prints;
}

/** All of it, or the refusal; any other error is thrown. */
async function outcomeOf(format: Format, source: Source): Promise<Outcome> {
  const prints = new Map<string, bigint>();
  try {
    const file = await format.read(source);
    for await (const { regionId, history, level } of file.rows) {
      assert.notEqual(level, undefined);
      for (const [at, value] of history.values.entries()) {
        if (value === null) continue;
        const name = `${regionId} ${formatMonth(addMonths(history.firstMonth, at))}`;
        assert.ok(!prints.has(name), `${name} twice`);
        prints.set(name, value);
      }
    }
    return { refusal: undefined, prints };
  } catch (error) {
    if (!(error instanceof ReleaseRefusal)) throw error;
    return { refusal: error, prints: new Map() };
  }
}

function assertPlaced(refusal: ReleaseRefusal, damaged: Buffer, told: string): void {
  const { code, line, column, message } = refusal;
  const lines = damaged.toString("latin1").split("\n").length;
  assert.match(code, /^[A-Z][A-Z0-9_]+$/, told);
  assert.ok(line === null || (line >= 1 && Number.isInteger(line)), `${told}: line ${line}`);
  assert.ok(line === null || line <= Math.max(lines, grid.length), `${told}: line ${line}`);
  assert.ok(column === null || (column.length > 0 && column.length < 64), `${told}: ${column}`);
  assert.ok(message.length > 10 && message.length < 600, `${told}: ${message}`);
  assert.doesNotMatch(message, /[\p{Cc}]/u, told);
}

class Tally {
  readonly codes = new Map<string, number>();
  readonly kinds = new Set<string>();
  read = 0;
  changed = 0;
  refused = 0;
}

async function judge(
  format: Format,
  turn: number,
  draw: Draw,
  before: Prints,
  tally: Tally,
): Promise<void> {
  const { bytes, kinds } = damage(format.whole, turn, draw);
  for (const kind of kinds) tally.kinds.add(kind);
  const sent = format.packed?.(bytes) ?? bytes;
  const told = `${format.name}, seed ${seed}, case ${turn}: ${kinds.join(", then ")}`;
  const outcome = await outcomeOf(format, pieces(sent, 1 + draw(70_000))).catch((error: unknown) =>
    assert.fail(`${told}: ${error instanceof Error ? error.stack : String(error)}`),
  );
  const { refusal, prints } = outcome;
  if (refusal !== undefined) {
    tally.refused += 1;
    tally.codes.set(refusal.code, (tally.codes.get(refusal.code) ?? 0) + 1);
    assertPlaced(refusal, bytes, told);
    if (turn % 5 !== 0) return;
    const again = await outcomeOf(format, pieces(sent, 1 + draw(997)));
    assert.equal(again.refusal?.message, refusal.message, `${told}: in other pieces`);
    return;
  }
  tally.read += 1;
  assert.deepEqual(sorted(prints), sorted(format.says(bytes)), told);
  if (!sameOf(prints, before)) tally.changed += 1;
}

const sorted = (prints: Prints) => [...prints].toSorted(([a], [b]) => (a < b ? -1 : 1));
const sameOf = (one: Prints, other: Prints): boolean =>
  one.size === other.size && [...one].every(([name, value]) => other.get(name) === value);

for (const [at, format] of formats.entries()) {
  const count = Math.ceil((total * format.share) / 100);
  test(`${count} damaged files: ${format.name}`, async (t) => {
    const sent = format.packed?.(format.whole) ?? format.whole;
    const sound = await outcomeOf(format, pieces(sent));
    assert.equal(sound.refusal, undefined);
    assert.ok(sound.prints.size > 30);
    assert.deepEqual(sorted(sound.prints), sorted(format.says(format.whole)), "undamaged");
    const draw = drawing(1_000 * seed + at);
    const tally = new Tally();
    for (let turn = 0; turn < count; turn += 1) {
      await judge(format, turn, draw, sound.prints, tally);
    }
    tell(t, tally);
    assert.deepEqual([...tally.kinds].toSorted(), Object.keys(blindDamage).toSorted());
    assert.ok(tally.refused > count / 10 && tally.read > 0, "both came about");
  });
}

function tell(t: TestContext, { refused, read, changed, codes }: Tally): void {
  t.diagnostic(`seed ${seed}: ${refused} refused, ${read} read, ${changed} of them say otherwise`);
  t.diagnostic(JSON.stringify(Object.fromEntries(codes)));
}

const packedCount = Math.ceil(total / 20);

test(`${packedCount} damaged gzip files: kept as they unpack, or not at all`, async (t) => {
  const folder = await temporaryFolder(t, "firstprint-mutated-");
  const archive = await RawFolder.start(folder);
  const whole = gzipSync(Buffer.from(stateFile()));
  const draw = drawing(1_000 * seed + 99);
  let kept = 0;
  const codes = new Map<string, number>();
  for (let turn = 0; turn < packedCount; turn += 1) {
    const { bytes, kinds } = damage(whole, turn, draw);
    const told = `seed ${seed}, case ${turn}: ${kinds.join(", then ")}`;
    try {
      const file = await archive.keep(pieces(bytes, 1 + draw(9_000)));
      kept += 1;
      const found = Buffer.concat(await Array.fromAsync(archive.open(file.sha256)));
      assert.ok(found.equals(plainBytes(bytes)), told);
      await archive.forget(file.sha256);
    } catch (error) {
      if (!(error instanceof ReleaseRefusal)) throw new Error(told, { cause: error });
      codes.set(error.code, (codes.get(error.code) ?? 0) + 1);
    }
  }
  assert.ok(kept > 0 && codes.size > 1);
  t.diagnostic(`seed ${seed}: ${kept} kept, ${JSON.stringify(Object.fromEntries(codes))}`);
});
