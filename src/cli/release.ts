// firstprint release …: a provider's publications, in and compared.
// Invariant: an index value or a count drawn from some is never shown without its attribution.
import { basename } from "node:path";
import { at, type ExchangeResponse, items } from "./answer.ts";
import type { CliCommand } from "./command.ts";
import { fileUpload } from "./file.ts";
import { instantOf } from "./instant.ts";
import { pageOptions, pageRemark } from "./page.ts";
import { bpsOf } from "./percent.ts";
import type { Screen } from "./screen.ts";
import { field, time } from "./table.ts";

const releaseFields = [
  field("id"),
  field("provider"),
  field("index"),
  field("level"),
  field("variable"),
  field("cut"),
  field("status"),
  field("publishedAt", "published", time),
  field("ingestedAt", "ingested", time),
  field("sha256"),
  field("rows"),
  field("firstMonth", "first month"),
  field("lastMonth", "last month"),
  field("firstPrints", "first prints"),
  field("revisions"),
  field("unchanged"),
  field("rescaled"),
  field("unmatched"),
  field("held", "places held"),
  field("methodologyVersion", "methodology"),
  field("methodologyChange", "method changed"),
  field("reasons"),
  field("approvedBy", "approved by"),
  field("rejection.reason", "rejected for"),
  field("resolvedMarkets", "resolved markets"),
  field("wouldSettle", "would settle"),
];

const listFields = [
  field("id"),
  field("provider"),
  field("index"),
  field("level"),
  field("variable"),
  field("lastMonth", "last month"),
  field("publishedAt", "published", time),
  field("status"),
  field("firstPrints", "first prints"),
  field("revisions"),
  field("rescaled"),
];

const ingestRelease: CliCommand = {
  words: "release ingest",
  about: "Send a provider's file as it came; the same bytes again change nothing",
  takes: ["file"],
  options: {
    provider: { value: "id", required: true, about: "zillow, census, fred, noaa or sample" },
    index: { value: "index", required: true, about: "zhvi, zori, vacancy or weather" },
    level: {
      value: "level",
      required: true,
      about: "nation, state, metro, county, city, neighborhood or zip",
    },
    published: { value: "time", required: true, about: "when the provider published it" },
    methodology: {
      value: "name",
      about: "the provider's method, where it has changed; the one before when left out",
    },
  },
  example:
    "release ingest state.csv.gz --provider zillow --index zhvi --level state " +
    "--published 2024-11-18",
  needs: "operator",
  long: true,
  run: async ({ args, exchange, screen }) => {
    const publishedAt = instantOf(args.option("published") ?? "", "--published");
    const given = args.given("provider", "index", "level", "methodology");
    const file = args.word("file");
    const query = { ...given, publishedAt, fileName: basename(file) };
    const upload = fileUpload(file, screen);
    const answer = await exchange.upload("/api/admin/releases", upload, query);
    screen.show(answer, () => screen.record(releaseFields, at(answer.json, "data")));
    remarkHeld(screen, answer);
    return undefined;
  },
};

/** Tells how to decide a release, or places of it, that validation has held back. */
function remarkHeld(screen: Screen, { json }: ExchangeResponse): void {
  const places = at(json, "data.held");
  if (at(json, "data.status") === "accepted" && typeof places === "number" && places > 0) {
    screen.note(
      `${places} of its places are held back: nothing of them counts yet. ` +
        "`firstprint release places list` says why.",
    );
  }
  if (at(json, "data.status") !== "quarantined") return;
  const id = String(at(json, "data.id"));
  screen.note(
    `It is held back: nothing of it counts yet. Two different operators release it with ` +
      `\`firstprint release approve ${id}\`, one rejects it with \`firstprint release reject\`.`,
  );
}

const approveRelease: CliCommand = {
  words: "release approve",
  about: "Give an operator's word for a release that is held back; the second one's releases it",
  takes: ["release"],
  example: "release approve rel-0123456789abcdef",
  needs: "operator",
  run: async ({ args, exchange, screen }) => {
    const id = args.word("release");
    const answer = await exchange.post("/api/admin/releases/{id}/approve", { id });
    screen.show(answer, () => screen.record(releaseFields, at(answer.json, "data")));
    remarkHeld(screen, answer);
    return undefined;
  },
};

const rejectRelease: CliCommand = {
  words: "release reject",
  about: "Reject a release that is held back; its file may be sent again",
  takes: ["release"],
  options: { reason: { value: "text", required: true, about: "why, for the audit trail" } },
  example: 'release reject rel-0123456789abcdef --reason "rents sent as home values"',
  needs: "operator",
  run: async ({ args, exchange, screen }) => {
    const given = { id: args.word("release"), ...args.given("reason") };
    const answer = await exchange.post("/api/admin/releases/{id}/reject", given);
    screen.show(answer, () => screen.record(releaseFields, at(answer.json, "data")));
    return undefined;
  },
};

const callRelease: CliCommand = {
  words: "release call",
  about: "Say that a print is out: matching stops until it is read, for a day at most",
  takes: ["index"],
  options: { reason: { value: "text", required: true, about: "why, for the audit trail" } },
  example: 'release call zhvi --reason "the provider shows October"',
  needs: "operator",
  run: async ({ args, exchange, screen }) => {
    const body = { index: args.word("index"), ...args.given("reason") };
    const answer = await exchange.post("/api/admin/windows", body);
    const endsAt = String(at(at(answer.json, "data"), "endsAt"));
    screen.show(answer, () => `Orders wait for the release, until ${endsAt} at the latest.`);
    return undefined;
  },
};

const listReleases: CliCommand = {
  words: "release list",
  about: "List the releases, newest first",
  options: {
    ...pageOptions,
    status: { value: "status", about: "accepted, quarantined or rejected; all when left out" },
  },
  example: "release list --status quarantined",
  needs: "operator",
  run: async ({ args, exchange, screen }) => {
    const query = args.given("page", "limit", "status");
    const answer = await exchange.read("/api/admin/releases", query);
    const rows = items(at(answer.json, "data"));
    screen.show(answer, () => screen.table(listFields, rows, "No releases."));
    pageRemark(screen, answer);
    return undefined;
  },
};

const showRelease: CliCommand = {
  words: "release show",
  about: "Show what one release brought",
  takes: ["release"],
  example: "release show rel-0123456789abcdef",
  needs: "operator",
  run: async ({ args, exchange, screen }) => {
    const answer = await exchange.read("/api/admin/releases/{id}", { id: args.word("release") });
    screen.show(answer, () => screen.record(releaseFields, at(answer.json, "data")));
    return undefined;
  },
};

const diffReleases: CliCommand = {
  words: "release diff",
  about: "Count the places that fell between two releases, by raw first prints and in the chain",
  takes: ["release", "against"],
  options: { fall: { value: "percent", about: "what counts as a fall; 2 when left out" } },
  example: "release diff rel-0123456789abcdef rel-fedcba9876543210 --fall 2",
  needs: "operator",
  long: true,
  run: async ({ args, exchange, screen }) => {
    const fall = args.option("fall");
    const answer = await exchange.read("/api/admin/releases/{id}/diff", {
      id: args.word("release"),
      against: args.word("against"),
      ...(fall === undefined ? {} : { fallBps: bpsOf(fall, "--fall") }),
    });
    const diff = at(answer.json, "data");
    screen.show(answer, () =>
      [
        `From ${at(diff, "fromMonth")} to ${at(diff, "toMonth")}, ${at(diff, "compared")} places.`,
        `Fell by ${Number(at(diff, "fallBps")) / 100} % or more:`,
        "",
        screen.table(
          [field("measured", "between"), field("count", "places")],
          [
            { measured: "raw first prints", count: at(diff, "rawFalls") },
            { measured: "chained first prints", count: at(diff, "chainedFalls") },
          ],
          "",
        ),
        "",
        String(at(diff, "attribution")),
      ].join("\n"),
    );
    return undefined;
  },
};

export const releaseCommands: readonly CliCommand[] = [
  ingestRelease,
  listReleases,
  showRelease,
  approveRelease,
  rejectRelease,
  callRelease,
  diffReleases,
];
