// Lighthouse over the console's screens, on the sample, each loaded as a stranger's first
// visit: `node tools/lighthouse.ts` prints the scores, `--write` puts them into
// docs/internals/lighthouse.md, `--runs 3` gives the median of three visits.
// Invariant: a telephone on a slow line (Lighthouse's default) and a desk, all four categories.
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { Exchange } from "#test/support/exchange.ts";

const screens = [
  ...["/", "/place/state:tx", "/place/zip:10001", "/market/mkt-010", "/portfolio", "/desk"],
  ...["/lender", "/ops", "/risk", "/audit", "/terms/mkt-010", "/certificate/mkt-010"],
  ...["/docs", "/docs/guides/concepts/rfq", "/docs/reference/getQuote"],
];
const categories = ["performance", "accessibility", "best-practices", "seo"] as const;
const looks = ["telephone", "desk"] as const;
const WANTED = 95;

const { values } = parseArgs({
  options: { write: { type: "boolean" }, runs: { type: "string", default: "1" } },
});

interface Report {
  readonly runtimeError?: { readonly message: string };
  readonly categories: Readonly<Record<string, { readonly score: number | null }>>;
}

const run = promisify(execFile);
const program = fileURLToPath(new URL("../node_modules/lighthouse/cli/index.js", import.meta.url));

const TRIES = 3;

/** A browser that is too slow to begin its record is started again. */
async function scoresOf(url: string, look: (typeof looks)[number]): Promise<readonly number[]> {
  let fault = "";
  for (let tried = 0; tried < TRIES; tried += 1) {
    const report = await reportOf(url, look);
    if (report.runtimeError === undefined)
      return categories.map((name) => Math.round(100 * (report.categories[name]?.score ?? 0)));
    fault = report.runtimeError.message;
  }
  throw new Error(`${url} was not judged: ${fault}`);
}

async function reportOf(url: string, look: (typeof looks)[number]): Promise<Report> {
  const file = join(folder, "report.json");
  rmSync(file, { force: true });
  const words = [
    ...[program, url, "--quiet", "--output=json", `--output-path=${file}`],
    `--only-categories=${categories.join(",")}`,
    "--chrome-flags=--headless --no-sandbox --disable-gpu",
    ...(look === "desk" ? ["--preset=desktop"] : []),
  ];
  const chromium = process.env.FIRSTPRINT_CHROMIUM ?? "/usr/bin/chromium";
  const env = { ...process.env, CHROME_PATH: chromium };
  // Its report says what went wrong, and its exit code that something did. In a file, since a
  // program that ends with such a code leaves the end of what it prints unwritten.
  const failed = await run(process.execPath, words, { env }).then(
    () => null,
    (fault: unknown) => fault,
  );
  if (!existsSync(file)) throw failed;
  const report: Report = JSON.parse(readFileSync(file, "utf8"));
  return report;
}

const medianOf = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const folder = mkdtempSync(join(tmpdir(), "firstprint-lighthouse-"));
const endings: (() => Promise<void>)[] = [() => rm(folder, { recursive: true })];
try {
  const scope = { after: (end: () => Promise<void>) => void endings.push(end) };
  const exchange = await Exchange.start(scope, { FIRSTPRINT_SAMPLE: "1" });
  const rows: string[] = [];
  let least = 100;
  for (const path of screens) {
    const cells: string[] = [];
    for (const look of looks) {
      const runs: (readonly number[])[] = [];
      for (let run = 0; run < Number(values.runs); run += 1)
        runs.push(await scoresOf(exchange.url + path, look));
      const scores = categories.map((_, at) => medianOf(runs.map((run) => run[at] ?? 0)));
      least = Math.min(least, ...scores);
      cells.push(scores.join(" / "));
    }
    rows.push(`| \`${path}\` | ${cells.join(" | ")} |`);
    console.log(rows.at(-1));
  }
  console.log(`the least is ${least}; ${WANTED} is wanted`);
  if (values.write === true) write(rows);
} finally {
  for (const end of endings.reverse()) await end();
}

function write(rows: readonly string[]): void {
  const [processor] = cpus();
  const machine =
    `${cpus().length} × ${processor?.model ?? "processor"}, load ${loadavg()[0]?.toFixed(1)}, ` +
    `Node ${process.version}, ${new Date().toISOString().slice(0, 10)}`;
  const text = `# Lighthouse

\`npx node tools/lighthouse.ts --write\` loads the console's screens on the sample, each as a
stranger's first visit, and writes this page. Scores are out of 100, in the order performance /
accessibility / best practices / search engines; at least ${WANTED} is wanted everywhere. The
telephone is Lighthouse's default: a slow line and a processor slowed down four times. Visits of
each: ${values.runs}, of which the median. Performance suffers where the machine has other work.

${machine}

| screen | telephone | desk |
|---|---|---|
${rows.join("\n")}
`;
  writeFileSync(new URL("../docs/internals/lighthouse.md", import.meta.url), text);
}
