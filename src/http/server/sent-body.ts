// The body of a request as its route takes it: JSON that was read strictly, or a stream.
// Invariant: a body is read as it was sent, in UTF-8 and in no coding, or refused.
import { Readable } from "node:stream";
import { invalidField, type Refused, refuse } from "../route/errors.ts";
import type { Route } from "../route/route.ts";
import type { HttpRequest } from "./http-reply.ts";
import { parseJson } from "./json-source.ts";
import { limited } from "./upload.ts";

interface SentBody {
  readonly bytes: Uint8Array;
  readonly body: unknown;
  readonly upload: Readable | undefined;
}

/**
 * The types of clients that were not told which: of bytes, and of curl's --data-binary. A file is
 * known by its first bytes anyway.
 */
export const unsaidTypes: readonly string[] = [
  "application/octet-stream",
  "application/x-www-form-urlencoded",
];

const noBody: SentBody = { bytes: new Uint8Array(), body: undefined, upload: undefined };

export function bodyOf(route: Route, { body, headers }: HttpRequest): SentBody | Refused {
  const encoding = headers["content-encoding"] ?? "identity";
  if (route.body === "json") {
    if (body === undefined || body === null) return noBody;
    if (!Buffer.isBuffer(body) || encoding !== "identity" || !isUtf8(headers["content-type"])) {
      return refuse("UNSUPPORTED_MEDIA_TYPE");
    }
    if (body.length === 0) return noBody;
    const parsed = parseJson(body);
    if (parsed === undefined) {
      return refuse("INVALID_REQUEST", { message: "The body is not valid JSON in UTF-8" });
    }
    return parsed.repeated === undefined
      ? { bytes: body, body: parsed.value, upload: undefined }
      : invalidField(parsed.repeated, "stands twice in one object; send it once");
  }
  const { types, limitBytes } = route.body;
  const [type = ""] = (headers["content-type"] ?? "").toLowerCase().split(";");
  const isTaken = types.includes(type.trim()) || unsaidTypes.includes(type.trim());
  if (!(body instanceof Readable) || encoding !== "identity" || !isTaken) {
    const message =
      `Send the file as the body, with one of these types: ${types.join(", ")} ` +
      `(${unsaidTypes.join(" and ")} are taken too), and no Content-Encoding`;
    return refuse("UNSUPPORTED_MEDIA_TYPE", { message });
  }
  if (Number(headers["content-length"] ?? 0) > limitBytes) return refuse("BODY_TOO_LARGE");
  return { ...noBody, upload: limited(body, limitBytes) };
}

/** Refuse a duplicate or empty charset: a proxy may have read the body differently. */
const isUtf8 = (contentType = ""): boolean =>
  [...contentType.matchAll(/;\s*charset\b([^;]*)/gi)].every(([, said = ""]) =>
    /^="?utf-8"?\s*$/i.test(said),
  );
