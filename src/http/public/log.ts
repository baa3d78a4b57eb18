// /api/log/…: the transparency log, as C2SP tlog-tiles serves one, and its proofs ready made.
// Invariant: checkpoint, tile and bundle are sent byte for byte as the standard has them; what is
// sent under an address that names a size never changes, but for cosignatures that are added.
import { Type } from "typebox";
import type { History, PublicLog } from "#engine/engine.ts";
import { base64, InclusionProof, inclusionShown } from "../records/inclusion.ts";
import { invalidField, type Refused, refuse } from "../route/errors.ts";
import { closed, nothing, type Page, publicData, type Route, rawFile } from "../route/route.ts";

export interface LogPorts {
  readonly history: Pick<History, "log">;
  readonly witnesses: () => readonly WitnessState[];
}

/** The state of a witness the exchange sends its heads to. */
interface WitnessState {
  readonly name: string;
  readonly verifierKey: string;
  /** Of the newest head it has cosigned; 0 = none yet. */
  readonly cosignedSize: number;
  /** Why it did not cosign the last head it was sent; null where it did. */
  readonly refusal: string | null;
}

const TILE_HASHES = 256;
const HIGHEST_LEVEL = 6;
const forEver = { "cache-control": "public, max-age=31536000, immutable" };
const forAMoment = { "cache-control": "public, max-age=1" };

const Whole = { pattern: "^(0|[1-9][0-9]{0,14})$" };

export const logRoutes = (ports: LogPorts): readonly Route[] => [
  showLog(ports),
  newestHead(ports),
  witnessedHead(ports),
  headOfSize(ports),
  tile(ports),
  proveInclusion(ports),
  proveConsistency(ports),
];

const none = (): Refused =>
  refuse("NOT_FOUND", { message: "No head of the log has been signed yet; try again later" });

const showLog = (ports: LogPorts): Route =>
  publicData.read({
    url: "/api/log",
    access: "public",
    summary: "The transparency log: its name, its key, its size, and its witnesses",
    refusals: ["NOT_FOUND"],
    params: nothing,
    query: nothing,
    data: Type.Object({
      origin: Type.String({ description: "the log's name, in the first line of its heads" }),
      verifierKey: Type.String(),
      size: Type.Integer({ description: "of the newest signed head" }),
      witnessedSize: Type.Integer({ description: "of the newest head a witness cosigned, or 0" }),
      witnesses: Type.Array(
        Type.Object({
          name: Type.String(),
          verifierKey: Type.String(),
          cosignedSize: Type.Integer({ description: "of the newest head it cosigned, or 0" }),
          refusal: Type.Union([Type.String(), Type.Null()], {
            description: "why it did not cosign the last head it was sent; null where it did",
          }),
        }),
        { description: "those of FIRSTPRINT_WITNESSES" },
      ),
    }),
    read: () => {
      const log = ports.history.log();
      if (log?.newest === undefined) return none();
      const { origin, verifierKey, newest, witnessed } = log;
      const sizes = { size: newest.size, witnessedSize: witnessed?.size ?? 0 };
      return { data: { origin, verifierKey, ...sizes, witnesses: [...ports.witnesses()] } };
    },
  });

const noteFile = (note: string, headers: Page["headers"]): Page => ({
  contentType: "text/plain; charset=utf-8",
  bytes: Buffer.from(note),
  headers,
});

const newestHead = (ports: LogPorts): Route =>
  rawFile({
    url: "/api/log/checkpoint",
    summary: "The newest signed head of the log (C2SP tlog-checkpoint)",
    params: nothing,
    cost: 1,
    refusals: ["NOT_FOUND"],
    read: async () => {
      const head = ports.history.log()?.newest;
      return head === undefined ? none() : noteFile(head.note, forAMoment);
    },
  });

const witnessedHead = (ports: LogPorts): Route =>
  rawFile({
    url: "/api/log/checkpoint/witnessed",
    summary: "The newest signed head that a witness has cosigned",
    params: nothing,
    cost: 1,
    refusals: ["NOT_FOUND"],
    read: async () => {
      const head = ports.history.log()?.witnessed;
      if (head !== undefined) return noteFile(head.note, forAMoment);
      return refuse("NOT_FOUND", { message: "No witness has cosigned a head since this start" });
    },
  });

const headOfSize = (ports: LogPorts): Route =>
  rawFile({
    url: "/api/log/checkpoint/:size",
    summary: "The signed head of a tree of this size",
    params: Type.Object({ size: Type.String(Whole) }),
    cost: 1,
    refusals: ["NOT_FOUND"],
    read: async ({ size }) => {
      const head = await ports.history.log()?.headAt(Number(size));
      if (head !== undefined) return noteFile(head.note, forAMoment);
      return refuse("NOT_FOUND", { message: `No head was signed over ${size} entries` });
    },
  });

const tile = (ports: LogPorts): Route =>
  rawFile({
    url: "/api/log/tile/:level/*",
    summary: "A tile of the tree, or the hashes of the entries under one (C2SP tlog-tiles)",
    params: Type.Object({
      level: Type.String({ pattern: "^(entries|[0-9]|[1-5][0-9]|6[0-3])$" }),
      "*": Type.String({
        pattern:
          "^(x[0-9]{3}/){0,4}[0-9]{3}(\\.p/([1-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5]))?$",
      }),
    }),
    cost: 1,
    refusals: ["NOT_FOUND"],
    read: async ({ level, "*": path }) => {
      const [place = "", width] = path.split(".p/");
      const index = Number(place.replaceAll(/[x/]/g, ""));
      const asked = { level, index, width: width === undefined ? TILE_HASHES : Number(width) };
      const bytes = await tileBytes(ports.history.log(), asked);
      if (bytes === undefined) {
        return refuse("NOT_FOUND", {
          message: "The log has no tile of this level, place and width",
        });
      }
      return { contentType: "application/octet-stream", bytes, headers: forEver };
    },
  });

async function tileBytes(
  log: PublicLog | undefined,
  {
    level,
    index,
    width,
  }: { readonly level: string; readonly index: number; readonly width: number },
): Promise<Uint8Array | undefined> {
  if (level !== "entries") {
    if (Number(level) > HIGHEST_LEVEL) return undefined;
    return log?.tile({ level: Number(level), index }, width);
  }
  const hashes = await log?.entries(index, width);
  // Each leaf, after its length in two bytes.
  return hashes && Buffer.from(hashes.map((hash) => `0020${hash}`).join(""), "hex");
}

const Sequence = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
const Size = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

const proveInclusion = (ports: LogPorts): Route =>
  publicData.read({
    url: "/api/log/inclusion/:sequence",
    access: "public",
    summary: "A proof that an entry's hash is in the log, with the signed head it leads to",
    refusals: ["NOT_FOUND"],
    params: Type.Object({ sequence: Type.String(Whole) }),
    query: closed({
      size: Type.Optional({ ...Sequence, description: "of a signed head; the newest if left out" }),
    }),
    data: InclusionProof,
    read: async ({ params, query }) => {
      const sequence = Number(params.sequence);
      const log = ports.history.log();
      const head = query.size === undefined ? log?.newest : await log?.headAt(query.size);
      if (log === undefined || head === undefined) {
        return refuse("NOT_FOUND", { message: `No head was signed over ${query.size} entries` });
      }
      if (sequence < 1 || sequence > head.size) {
        return refuse("NOT_FOUND", {
          message: `The head of ${head.size} entries holds entries 1 to ${head.size}`,
        });
      }
      const inclusion = await log.inclusion(sequence, head.size);
      return { data: { ...inclusionShown(inclusion), checkpoint: head.note } };
    },
  });

const proveConsistency = (ports: LogPorts): Route =>
  publicData.read({
    url: "/api/log/consistency",
    access: "public",
    summary: "A proof that the tree of one size is the beginning of the tree of another",
    refusals: ["NOT_FOUND"],
    params: nothing,
    query: closed({
      from: { ...Size, description: "entries of the smaller tree" },
      to: { ...Size, description: "entries of the larger tree, at most the newest head's" },
    }),
    data: Type.Object({
      from: Type.Integer({ description: "entries of the smaller tree" }),
      to: Type.Integer({ description: "entries of the larger tree" }),
      proof: Type.Array(Type.String(), { description: "in base64 (RFC 6962, 2.1.2)" }),
    }),
    read: async ({ query: { from, to } }) => {
      const log = ports.history.log();
      if (log?.newest === undefined) return none();
      const { size } = log.newest;
      if (to > size) return invalidField("to", `must be at most ${size}, the newest head's size`);
      if (from > to) return invalidField("from", "must be at most to");
      const proof = await log.consistency(from, to);
      return { data: { from, to, proof: proof.map(base64) } };
    },
  });
