// firstprint audit …: reading, counting, exporting, verifying and checking the hash chain.
// Invariant: an export is either whole or fails; a chain that does not verify fails too.
import { at, items } from "./answer.ts";
import type { Arguments } from "./arguments.ts";
import type { CliCommand } from "./command.ts";
import type { Members } from "./exchange.ts";
import type { Option } from "./form.ts";
import { secondsOf } from "./instant.ts";
import { become } from "./program.ts";
import { field, plain, time } from "./table.ts";
import { writeOut } from "./written-file.ts";

const entryFields = [
  field("id"),
  field("timestamp", "time", time),
  field("severity"),
  field("action"),
  field("success", "done"),
  field("userId", "by"),
  field("resource"),
  field("hash", "hash", (hash) => plain(hash).slice(0, 12)),
];

export const rangeOptions: Readonly<Record<string, Option>> = {
  from: { value: "time", about: "from this time on; a time or Unix seconds" },
  to: { value: "time", about: "up to this time" },
};

export function rangeOf(args: Arguments): Members {
  const from = args.option("from");
  const to = args.option("to");
  return {
    ...(from === undefined ? {} : { startTime: secondsOf(from, "--from") }),
    ...(to === undefined ? {} : { endTime: secondsOf(to, "--to") }),
  };
}

const listEntries: CliCommand = {
  words: "audit list",
  about: "List audit entries, newest first; --json has their details",
  options: {
    action: { value: "action", about: "such as order.placed" },
    severity: { value: "severity", about: "info, warning or critical" },
    user: { value: "address", about: "only what this account did" },
    limit: { value: "number", about: "how many, at most 1000; 50 when left out" },
    offset: { value: "number", about: "how many of the newest to pass over" },
  },
  example: "audit list --action order.placed --limit 20",
  needs: "key",
  run: async ({ args, exchange, screen }) => {
    const userId = args.option("user");
    const answer = await exchange.read("/api/audit/logs", {
      ...args.given("action", "severity", "limit", "offset"),
      ...(userId === undefined ? {} : { userId }),
    });
    const rows = items(at(answer.json, "data"));
    screen.show(answer, () => screen.table(entryFields, rows, "No entries."));
    return undefined;
  },
};

const verifyFields = [
  field("valid"),
  field("brokenAt", "broken at"),
  field("reason"),
  field("totalEntries", "entries"),
  field("size"),
  field("head"),
  field("stateHash", "state hash"),
  field("damagedReleases", "damaged releases"),
  field("checkedAt", "checked", time),
];

const verifyChain: CliCommand = {
  words: "audit verify",
  about: "Have chain and first prints recomputed from stored bytes; fails when they do not hold",
  example: "audit verify",
  needs: "key",
  long: true,
  run: async ({ exchange, screen }) => {
    const answer = await exchange.read("/api/audit/verify");
    const result = at(answer.json, "data");
    const valid = at(result, "valid") === true;
    const damaged = at(result, "damagedReleases");
    const fields = valid
      ? verifyFields.filter(({ title }) => title !== "broken at" && title !== "reason")
      : verifyFields;
    screen.show(answer, () => screen.record(fields, result));
    return valid && Array.isArray(damaged) && damaged.length === 0 ? 0 : 1;
  },
};

const exportEntries: CliCommand = {
  words: "audit export",
  about: "Write the entries with the bytes that are hashed, oldest first, as JSON",
  options: {
    ...rangeOptions,
    output: { value: "file", about: "write to this file once it is whole; else to stdout" },
  },
  example: "audit export --from 2024-11-01 --output audit.json",
  needs: "key",
  long: true,
  run: async ({ args, exchange, screen }) => {
    const chunks = await exchange.stream("/api/audit/export", rangeOf(args));
    const output = args.option("output");
    await writeOut(chunks, output, screen);
    return undefined;
  },
};

const checkExport: CliCommand = {
  words: "audit check",
  about: "Judge an export offline, by its bytes and signed checkpoints; asks no exchange",
  takes: ["export"],
  options: {
    checkpoint: { value: "file", about: "signed notes, or a saved answer of /api/checkpoint" },
    "verifier-key": { value: "key", about: "the exchange's verifier key, as it was pinned" },
    partial: { about: "the export has gaps, as one account's has" },
  },
  example: "audit check export.json --partial",
  needs: "nothing",
  run: async ({ args, screen }) => {
    const verifierKey = args.option("verifier-key");
    const { checkpoint } = args.given("checkpoint");
    return become("tools/verify-audit.ts", [
      ...(checkpoint === undefined ? [] : [`--checkpoint=${checkpoint}`]),
      ...(verifierKey === undefined ? [] : [`--key=${verifierKey}`]),
      ...(args.flag("partial") ? ["--partial"] : []),
      ...(screen.json ? ["--json"] : []),
      "--",
      args.word("export"),
    ]);
  },
};

const compareKept: CliCommand = {
  words: "audit kept",
  about: "Hold the exchange's transparency log against a checkpoint that somebody kept",
  takes: ["checkpoint"],
  options: {
    "verifier-key": {
      value: "key",
      about: "the exchange's verifier key, as it was pinned",
      required: true,
    },
    witness: {
      value: "key",
      about: "a witness's verifier key: it must have cosigned what was kept",
    },
  },
  example: "audit kept kept.txt --verifier-key firstprint/8a42…+a1b2c3d4+AQ…",
  needs: "nothing",
  run: async ({ args, exchange, screen }) => {
    const { witness } = args.given("witness");
    return become("tools/verify-log.ts", [
      `--url=${exchange.address}`,
      `--key=${args.option("verifier-key") ?? ""}`,
      ...(witness === undefined ? [] : [`--witness=${witness}`]),
      ...(screen.json ? ["--json"] : []),
      "--",
      args.word("checkpoint"),
    ]);
  },
};

const showStats: CliCommand = {
  words: "audit stats",
  about: "Count audit entries by action and by severity",
  options: rangeOptions,
  example: "audit stats --from 2024-11-01",
  needs: "key",
  run: async ({ args, exchange, screen }) => {
    const answer = await exchange.read("/api/audit/stats", rangeOf(args));
    const stats = at(answer.json, "data");
    const totals = [
      field("totalEvents", "entries"),
      field("timeRange.start", "from", time),
      field("timeRange.end", "to", time),
    ];
    screen.show(answer, () =>
      [
        screen.record(totals, stats),
        "",
        screen.table([field("name", "severity"), field("count")], counts(stats, "bySeverity"), "-"),
        "",
        screen.table([field("name", "action"), field("count")], counts(stats, "byAction"), "-"),
      ].join("\n"),
    );
    return undefined;
  },
};

function counts(stats: unknown, member: string): readonly unknown[] {
  const found = at(stats, member);
  if (typeof found !== "object" || found === null) return [];
  return Object.entries(found).map(([name, count]) => ({ name, count }));
}

export const auditCommands: readonly CliCommand[] = [
  listEntries,
  verifyChain,
  exportEntries,
  checkExport,
  compareKept,
  showStats,
];
