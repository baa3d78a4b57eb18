// POST /api/admin/releases: a provider's file, as it came, with what the file itself does not say.
// Invariant: the body is read as a stream; a refusal names line and column and leaves no trace.
import { Type } from "typebox";
import { indexKinds } from "#base/index-kind.ts";
import { printLevels, providerIds } from "#prints/release.ts";
import type { ExchangeView } from "#views/exchange.ts";
import type { ReleaseIntakePort } from "../ports.ts";
import { OperatorReleaseShape, showReleaseToOperator } from "../records/release.ts";
import { invalidField } from "../route/errors.ts";
import { admin, closed, nothing, type Route } from "../route/route.ts";
import { instantForm, parseInstant } from "./instant.ts";
import { notTaken } from "./not-taken.ts";

const LIMIT_BYTES = 512 * 1024 * 1024;

const types = [
  "text/csv",
  "text/plain",
  "application/gzip",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
] as const;

export interface IngestPorts {
  readonly exchange: ExchangeView;
  readonly releases: ReleaseIntakePort;
}

export const ingestRelease = (ports: IngestPorts): Route =>
  admin.upload({
    method: "POST",
    url: "/api/admin/releases",
    access: "admin:releases",
    summary: "Takes a provider's file as a release",
    refusals: [
      "FILE_REFUSED",
      "RELEASE_EXISTS",
      "RELEASE_HELD",
      "RELEASE_FROM_FUTURE",
      "PRINT_EXISTS",
    ],
    params: nothing,
    query: closed({
      provider: Type.Enum([...providerIds], { description: `one of ${providerIds.join(", ")}` }),
      index: Type.Enum([...indexKinds], { description: `one of ${indexKinds.join(", ")}` }),
      level: Type.Enum([...printLevels], { description: `one of ${printLevels.join(", ")}` }),
      publishedAt: Type.String(),
      methodology: Type.Optional(
        Type.String({
          pattern: "^[a-z0-9][a-z0-9./_-]{0,39}$",
          description: "a name of at most 40 small letters, digits, dots, slashes and dashes",
        }),
      ),
      fileName: Type.Optional(
        Type.String({
          pattern: "^[^\\u0000-\\u001f\\u007f]{1,255}$",
          description: "the file's own name, of at most 255 characters",
        }),
      ),
    }),
    data: OperatorReleaseShape,
    accepts: { types, limitBytes: LIMIT_BYTES },
    upload: async ({ query, upload, submit }) => {
      const { provider, index, level, methodology, fileName } = query;
      const publishedAtMillis = parseInstant(query.publishedAt);
      if (publishedAtMillis === undefined) return invalidField("publishedAt", instantForm);
      const meta = { provider, index, level, publishedAtMillis, methodology, fileName };
      const answer = await ports.releases.ingest(upload, meta, submit);
      return "release" in answer
        ? { data: showReleaseToOperator(ports, answer.release) }
        : notTaken(answer);
    },
  });
