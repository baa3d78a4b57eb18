// Single places that validation holds back, and what is decided of them: `release places …`.
// Invariant: a held print is never shown without its attribution.
import { at, items } from "./answer.ts";
import type { Arguments } from "./arguments.ts";
import type { CliCommand } from "./command.ts";
import { pageOptions, pageRemark } from "./page.ts";
import { field, time } from "./table.ts";

const fields = [
  field("nodeId", "place"),
  field("releaseId", "held from"),
  field("renamedFrom", "renamed from"),
  field("index"),
  field("level"),
  field("variable"),
  field("status"),
  field("heldAt", "held at", time),
  field("reasons"),
  field("prints"),
  field("wouldSettle", "would settle"),
  field("approvedBy", "approved by"),
  field("resolvedMarkets", "resolved markets"),
  field("heldAnew.releaseId", "held anew from"),
  field("attribution"),
];

const listFields = [
  field("nodeId", "place"),
  field("releaseId", "held from"),
  field("index"),
  field("reasons"),
  field("approvedBy", "approved by"),
  field("wouldSettle", "would settle"),
  field("attribution"),
];

const listPlaces: CliCommand = {
  words: "release places list",
  about: "List the places that are held back while the rest of their release counts",
  options: {
    ...pageOptions,
    release: { value: "release", about: "held from this release on; all when left out" },
  },
  example: "release places list",
  needs: "operator",
  run: async ({ args, exchange, screen }) => {
    const query = args.given("page", "limit", "release");
    const answer = await exchange.read("/api/admin/held-places", query);
    const rows = items(at(answer.json, "data"));
    screen.show(answer, () => screen.table(listFields, rows, "No place is held."));
    pageRemark(screen, answer);
    return undefined;
  },
};

const placeUrl = "/api/admin/releases/{id}/places/{nodeId}";

const placeOf = (args: Arguments) => ({ id: args.word("release"), nodeId: args.word("place") });

const approvePlace: CliCommand = {
  words: "release places approve",
  about: "Give an operator's word for a place that is held back; the second one's releases it",
  takes: ["release", "place"],
  example: "release places approve rel-0123456789abcdef zip:77002",
  needs: "operator",
  run: async ({ args, exchange, screen }) => {
    const answer = await exchange.post(`${placeUrl}/approve`, placeOf(args));
    screen.show(answer, () => screen.record(fields, at(answer.json, "data")));
    if (at(answer.json, "data.status") === "held") {
      screen.note("It is still held: a second, different operator has to give the same word.");
    }
    return undefined;
  },
};

const rejectPlace: CliCommand = {
  words: "release places reject",
  about: "Take a release away from a held place; the next release has its print",
  takes: ["release", "place"],
  options: { reason: { value: "text", required: true, about: "why, for the audit trail" } },
  example: 'release places reject rel-0123456789abcdef zip:77002 --reason "a wrong row"',
  needs: "operator",
  run: async ({ args, exchange, screen }) => {
    const given = { ...placeOf(args), ...args.given("reason") };
    const answer = await exchange.post(`${placeUrl}/reject`, given);
    screen.show(answer, () => screen.record(fields, at(answer.json, "data")));
    return undefined;
  },
};

const renamePlace: CliCommand = {
  words: "release places rename",
  about: "Say that the provider goes on with a place under another id; a second operator approves",
  takes: ["place"],
  options: {
    index: { value: "index", required: true, about: "zhvi, zori or vacancy" },
    region: { value: "region", required: true, about: "the provider's new id of the place" },
  },
  example: "release places rename zip:77002 --index zhvi --region 91940",
  needs: "operator",
  run: async ({ args, exchange, screen }) => {
    const body = { index: args.option("index"), regionId: args.option("region") };
    const answer = await exchange.post("/api/admin/places/{nodeId}/rename", {
      nodeId: args.word("place"),
      ...body,
    });
    screen.show(answer, () => screen.record(fields, at(answer.json, "data")));
    screen.note("It counts once a second operator approves the place of this release.");
    return undefined;
  },
};

export const releasePlaceCommands: readonly CliCommand[] = [
  listPlaces,
  approvePlace,
  rejectPlace,
  renamePlace,
];
