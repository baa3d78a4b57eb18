// firstprint downloads …: the files that the exchange fetches by itself.
// Invariant: nothing is taken by either; a plan is checked without an exchange and without a server.
import { at, items } from "./answer.ts";
import type { CliCommand } from "./command.ts";
import { become } from "./program.ts";
import { field, time } from "./table.ts";

const sourceFields = [
  field("provider"),
  field("index"),
  field("level"),
  field("file"),
  field("cameAt", "came", time),
  field("release.lastMonth", "last month"),
  field("dueAt", "due", time),
  field("nextPrint.month", "next print"),
  field("nextPrint.expectedAt", "expected", time),
  field("nextPrint.overdueSince", "overdue since", time),
  field("failures"),
  field("fault.code", "fault"),
  field("refusal.code", "refused"),
];

const checkedFields = [
  field("provider"),
  field("index"),
  field("level"),
  field("checked.outcome", "now"),
  field("checked.address", "address"),
  field("checked.bytes", "bytes"),
  field("checked.lastModified", "modified"),
  field("checked.fault.message", "fault"),
  field("cameAt", "came", time),
  field("dueAt", "due", time),
  field("failures"),
];

const NONE = "The exchange fetches nothing: FIRSTPRINT_DOWNLOADS names no plan.";

const listDownloads: CliCommand = {
  words: "downloads list",
  about: "List what the exchange fetches: when each last came, when it is due, what failed",
  example: "downloads list",
  needs: "operator",
  run: async ({ exchange, screen }) => {
    const answer = await exchange.read("/api/admin/downloads", {});
    const rows = items(at(answer.json, "data"));
    screen.show(answer, () => screen.table(sourceFields, rows, NONE));
    return undefined;
  },
};

const checkDownloads: CliCommand = {
  words: "downloads check",
  about:
    "Ask each provider what there is now, and take nothing; of a plan's file, whether the plan is " +
    "good, without an exchange",
  takes: ["file?"],
  example: "downloads check deploy/downloads.json",
  needs: "operator",
  alone: "file",
  long: true,
  run: async ({ args, exchange, screen }) => {
    const file = args.word("file");
    if (file !== "") return become("tools/check-downloads.ts", [file]);
    const answer = await exchange.read("/api/admin/downloads", { check: "true" });
    const rows = items(at(answer.json, "data"));
    screen.show(answer, () => screen.table(checkedFields, rows, NONE));
    const failed = rows.filter((row) => at(row, "checked.outcome") === "fault").length;
    if (failed > 0) screen.note(`${failed} of ${rows.length} sources cannot be fetched now.`);
    return undefined;
  },
};

export const downloadCommands: readonly CliCommand[] = [listDownloads, checkDownloads];
