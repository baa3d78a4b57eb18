// GET /api/admin/downloads: the sources that this node fetches by itself, and how each of them is.
// Invariant: a source that needs a person is in the queue, too, with the same record.
import { type Static, Type } from "typebox";
import { formatMonth } from "#base/month.ts";
import type { AskedSource, DownloadSourceState, DownloadsPort } from "../ports.ts";
import { admin, closed, nothing, type Route } from "../route/route.ts";

const Said = Type.Object({ code: Type.String(), message: Type.String() });

export const DownloadRecord = Type.Object(
  {
    provider: Type.String(),
    index: Type.String(),
    level: Type.String(),
    file: Type.String({ description: "as the plan has it, without the query" }),
    everyHours: Type.Integer({ description: "between two questions for the file" }),
    askedAt: Type.Union([Type.String(), Type.Null()], {
      description: "when it was last asked for; null: not since this node started",
    }),
    cameAt: Type.Union([Type.String(), Type.Null()], {
      description: "when a file last came; null: none since this node started",
    }),
    address: Type.Union([Type.String(), Type.Null()], {
      description: "where it was last asked for, with its date or year",
    }),
    dueAt: Type.String({ description: "when it is asked for the next time" }),
    failures: Type.Integer({ description: "attempts that failed since the last that did not" }),
    failingSince: Type.Union([Type.String(), Type.Null()], {
      description: "when the first of these failed; null where none did",
    }),
    fault: Type.Union([Said, Type.Null()], { description: "why the last attempt failed" }),
    refusal: Type.Union([Said, Type.Null()], {
      description: "why the intake refused the last file",
    }),
    release: Type.Union(
      [
        Type.Object({
          id: Type.String(),
          lastMonth: Type.String(),
          publishedAt: Type.String(),
          ingestedAt: Type.String(),
        }),
        Type.Null(),
      ],
      { description: "the newest of the index and level, whoever brought it" },
    ),
    nextPrint: Type.Union(
      [
        Type.Object({
          month: Type.String(),
          expectedAt: Type.String({ description: "by the provider's habit" }),
          overdueSince: Type.Union([Type.String(), Type.Null()], {
            description: "two weeks after it was expected; null while it is not that late",
          }),
        }),
        Type.Null(),
      ],
      { description: "null before the first release" },
    ),
  },
  { title: "Download" },
);

const Checked = Type.Object({
  outcome: Type.Enum(["new", "unchanged", "fault"]),
  address: Type.Union([Type.String(), Type.Null()], {
    description: "where the file lies now; null where that could not be found",
  }),
  bytes: Type.Union([Type.Integer(), Type.Null()], { description: "where the server says it" }),
  lastModified: Type.Union([Type.String(), Type.Null()], {
    description: "as the server writes it, where it says it",
  }),
  fault: Type.Union([Said, Type.Null()], { description: "why it cannot be fetched now" }),
});

const timeOrNull = (millis: number | null): string | null =>
  millis === null ? null : new Date(millis).toISOString();
const timeOf = (millis: number): string => new Date(millis).toISOString();

export const downloadRecord = (state: DownloadSourceState): Static<typeof DownloadRecord> => {
  const { provider, index, level, file, everyHours, address, failures, release, nextPrint } = state;
  return {
    ...{ provider, index, level, file, everyHours, address, failures },
    askedAt: timeOrNull(state.askedAtMillis),
    cameAt: timeOrNull(state.cameAtMillis),
    dueAt: timeOf(state.dueAtMillis),
    failingSince: timeOrNull(state.failingSinceMillis),
    fault: state.fault,
    refusal:
      state.refusal === null ? null : { code: state.refusal.code, message: state.refusal.message },
    release:
      release === null
        ? null
        : {
            id: release.id,
            lastMonth: formatMonth(release.lastMonth),
            publishedAt: timeOf(release.publishedAtMillis),
            ingestedAt: timeOf(release.ingestedAtMillis),
          },
    nextPrint:
      nextPrint === null
        ? null
        : {
            month: formatMonth(nextPrint.month),
            expectedAt: timeOf(nextPrint.expectedAtMillis),
            overdueSince: timeOrNull(nextPrint.overdueSinceMillis),
          },
  };
};

const checkedRecord = (asked: AskedSource | undefined): Static<typeof Checked> | null => {
  if (asked === undefined) return null;
  const nothingKnown = { address: null, bytes: null, lastModified: null, fault: null };
  if (asked.outcome !== "fault") return { ...nothingKnown, ...asked };
  const { outcome, code, message } = asked;
  return { ...nothingKnown, outcome, fault: { code, message } };
};

export const listDownloads = (ports: { readonly downloads: DownloadsPort }): Route =>
  admin.read({
    url: "/api/admin/downloads",
    access: "admin:read",
    summary:
      "The sources that the exchange fetches by itself: when each last came, when it is due, and " +
      "what failed",
    cost: 10,
    params: nothing,
    query: closed({
      check: Type.Optional(
        Type.Enum(["true", "false"], {
          description: "true: ask each server what there is now, and take nothing",
        }),
      ),
    }),
    data: Type.Array(
      Type.Object({
        ...DownloadRecord.properties,
        checked: Type.Union([Checked, Type.Null()], {
          description: "what its server answered just now; null unless check=true",
        }),
      }),
    ),
    read: async ({ query }) => {
      const { downloads } = ports;
      const checked = query.check === "true" ? await downloads.check() : [];
      const data = downloads
        .states()
        .map((state, at) => ({ ...downloadRecord(state), checked: checkedRecord(checked[at]) }));
      return { data };
    },
  });
