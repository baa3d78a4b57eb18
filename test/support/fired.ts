// Whether the alert rules that ship fire on numbers that an exchange has told.
// Invariant: the rules are judged by Prometheus's own engine, for as long as each wants to be sure.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { at, checkout, listAt, textAt } from "./exchange.ts";

const PROMTOOL = "/usr/bin/promtool";
const RULES = "firstprint.rules.yml";
const FOLDER = join(checkout, "deploy/prometheus");

export const noPromtool = existsSync(PROMTOOL) ? false : "no promtool: apt-get install prometheus";

/** The text of /metrics; undefined where the node did not answer. */
type Scrape = string | undefined;

export interface Told {
  readonly alert: string;
  /** By instance, one after another. */
  readonly nodes: Readonly<Record<string, readonly [Scrape, ...Scrape[]]>>;
  /** Numbers that grew from the last scrape but one to the last go on to grow. */
  readonly goesOn?: boolean;
}

const rules: ReadonlyMap<string, unknown> = new Map(
  listAt(parse(readFileSync(join(FOLDER, RULES), "utf8")), "groups")
    .flatMap((group) => listAt(group, "rules"))
    .map((rule) => [textAt(rule, "alert"), rule]),
);

export const ruleNames: readonly string[] = [...rules.keys()];

const STEPS_HELD = 4;
const MARGIN_MINUTES = 4;
const BACKUP_HOURS = 38;

interface Horizon {
  readonly minutes: number;
  readonly stepSeconds: number;
}

/** Longer than the rule waits; in wide steps where that is hours. */
function horizonOf(alert: string): Horizon {
  const waits = String(at(rules.get(alert), "for") ?? "0m");
  const unit = { s: 1 / 60, m: 1, h: 60 }[waits.at(-1) ?? "m"] ?? 1;
  const beyond = alert === "FirstprintBackupOld" ? BACKUP_HOURS * 60 : 0;
  const minutes = Number.parseInt(waits, 10) * unit + beyond;
  if (minutes <= 60) return { minutes: minutes + MARGIN_MINUTES, stepSeconds: 15 };
  return { minutes: minutes + 60, stepSeconds: 240 };
}

/** The samples of a scrape that the rule asks for, by name and labels. */
function samplesOf(scrape: Scrape, names: ReadonlySet<string>): ReadonlyMap<string, number> {
  const lines = scrape?.split("\n").filter((line) => line !== "" && !line.startsWith("#")) ?? [];
  return new Map(
    lines.flatMap((line) => {
      const [, series = "", name = "", value = ""] =
        /^(([a-z_0-9]+)(?:\{.*\})?) (\S+)$/.exec(line) ?? [];
      return names.has(name) ? [[series, Number(value)] as const] : [];
    }),
  );
}

const written = (value: number): string => String(Math.round(value * 1e6) / 1e6);

/** As promtool has a series: each value is held for some steps, the last to the end. */
function valuesOf(values: readonly (number | undefined)[], steps: number, goesOn: boolean): string {
  return values
    .map((value, index) => {
      const isLast = index === values.length - 1;
      if (value === undefined) return isLast ? "stale" : `_x${STEPS_HELD}`;
      const growth = value - (values[index - 1] ?? (goesOn ? 0 : value));
      const more = isLast && goesOn && growth > 0 ? `+${written(growth)}` : "";
      return `${written(value)}${more}x${isLast ? steps : STEPS_HELD - 1}`;
    })
    .join(" ");
}

function seriesOf({ alert, nodes, goesOn = false }: Told, { minutes, stepSeconds }: Horizon) {
  const expression = textAt(rules.get(alert), "expr");
  const names = new Set(expression.match(/\b(?:firstprint|nodejs)_\w+/g));
  const steps = Math.ceil((minutes * 60) / stepSeconds);
  const end = minutes * 60;
  return Object.entries(nodes).flatMap(([instance, scrapes]) => {
    const node = `job="firstprint",instance="${instance}"`;
    const sampled = scrapes.map((scrape) => samplesOf(scrape, names));
    const up = scrapes.map((scrape) => (scrape === undefined ? 0 : 1));
    const found = [...new Set(sampled.flatMap((samples) => [...samples.keys()]))].map((series) => {
      const isTime = series.includes("_timestamp_seconds");
      const shifted = (value: number | undefined): number | undefined =>
        // The time of a rule under test begins at 0; 0 itself is no time.
        isTime && value !== undefined && value > 0 ? value - Date.now() / 1_000 + end : value;
      const labelled = series.includes("{")
        ? series.replace("}", `,${node}}`)
        : `${series}{${node}}`;
      return [labelled, sampled.map((samples) => shifted(samples.get(series)))] as const;
    });
    return [[`up{${node}}`, up] as const, ...found].map(([series, values]) => ({
      series,
      values: valuesOf(values, steps, goesOn),
    }));
  });
}

const before = ({ alert, nodes }: Told): Told => ({
  alert,
  nodes: Object.fromEntries(Object.entries(nodes).map(([name, [first]]) => [name, [first]])),
});

function testOf(told: Told, expected: "fires" | "is quiet before", horizon: Horizon) {
  return {
    name: `${told.alert} ${expected}`,
    interval: `${horizon.stepSeconds}s`,
    input_series: seriesOf(told, horizon),
    promql_expr_test: [
      {
        expr: `count(ALERTS{alertname="${told.alert}",alertstate="firing"}) > bool 0`,
        eval_time: `${Math.floor(horizon.minutes)}m`,
        exp_samples: expected === "fires" ? [{ labels: "{}", value: 1 }] : [],
      },
    ],
  };
}

/** Throws what promtool says where one does not fire, or fires by the first of its scrapes alone. */
export function assertFired(told: readonly Told[]): void {
  const folder = mkdtempSync(join(tmpdir(), "firstprint-rules-"));
  try {
    const files = [...Map.groupBy(told, ({ alert }) => alert)].map(([alert, some]) => {
      // The rule alone: promtool asks each rule of a file at each step, 29 of them for one.
      const rulesFile = `${alert}.rules.json`;
      const groups = [{ name: alert, rules: [rules.get(alert)] }];
      writeFileSync(join(folder, rulesFile), JSON.stringify({ groups }));
      const horizon = horizonOf(alert);
      const tests = some.flatMap((one) => [
        testOf(one, "fires", horizon),
        testOf(before(one), "is quiet before", horizon),
      ]);
      const evaluation = { evaluation_interval: `${horizon.stepSeconds}s` };
      const file = `${alert}.json`;
      const text = JSON.stringify({ rule_files: [rulesFile], ...evaluation, tests });
      writeFileSync(join(folder, file), text);
      return file;
    });
    execFileSync(PROMTOOL, ["test", "rules", ...files], { cwd: folder, stdio: "pipe" });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
