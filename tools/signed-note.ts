// Signed checkpoints (C2SP signed-note, tlog-checkpoint, tlog-cosignature), read by a stranger.
// Invariant: nothing of the exchange's own code is used; what is returned was signed by the key.
import { createHash } from "node:crypto";
import { Unusable } from "./export-cutter.ts";
import { bytesOf, fromBase64, isSame, joined, toHex } from "./octets.ts";

const KEY_ID_BYTES = 4;
/** Key id, time and signature. */
const COSIGNATURE_BYTES = 76;

/** 1 = of a log; 4 = of a witness. */
type KeyType = 1 | 4;

export interface VerifierKey {
  readonly name: string;
  readonly type: KeyType;
  readonly id: Uint8Array;
  /** The 32 bytes of RFC 8032. */
  readonly bytes: Uint8Array;
}

export interface SignedHead {
  readonly origin: string;
  readonly size: number;
  readonly root: Uint8Array;
}

/** `name+8 hex+base64(type ‖ 32 bytes)`: the C2SP form of an Ed25519 key. */
export function readVerifierKey(text: string, wanted: KeyType = 1): VerifierKey {
  const [, name = "", id, encoded = ""] =
    /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/.exec(text.trim()) ?? [];
  const typed = fromBase64(encoded) ?? new Uint8Array();
  const key = typed.length === 33 && typed[0] === wanted ? keyOf(name, wanted, typed) : undefined;
  if (key === undefined || toHex(key.id) !== id) {
    const what = wanted === 1 ? "an Ed25519 verifier key" : "a witness's Ed25519 verifier key";
    throw new Unusable(`"${text.trim().slice(0, 100)}" is not ${what}: name+id+base64`);
  }
  return key;
}

/** The same key under another name: that of the transparency log, from that of the chain. */
export const renamed = ({ type, bytes }: VerifierKey, name: string): VerifierKey =>
  keyOf(name, type, joined([Uint8Array.of(type), bytes]));

function keyOf(name: string, type: KeyType, typed: Uint8Array): VerifierKey {
  const covered = joined([bytesOf(`${name}\n`), typed]);
  const id = createHash("sha256").update(covered).digest().subarray(0, KEY_ID_BYTES);
  return { name, type, id, bytes: typed.subarray(1) };
}

/** The head in a checkpoint, where the key has signed it; else why not. */
export async function openNote(
  note: string,
  key: VerifierKey,
): Promise<SignedHead | { readonly fault: string }> {
  const cut = note.indexOf("\n\n") + 1;
  const text = note.slice(0, cut);
  const [origin = "", size = "", encoded = ""] = text.split("\n");
  const about = `the checkpoint that says it is of ${size.slice(0, 16)} entries`;
  if (!(await isSigned(note.slice(cut + 1).split("\n"), text, key))) {
    return { fault: `${about} is not signed by ${key.name} with this key` };
  }
  const root = fromBase64(encoded);
  const isOwn = key.type === 4 || origin === key.name;
  if (!isOwn || !/^(0|[1-9][0-9]{0,15})$/.test(size) || root?.length !== 32) {
    return { fault: `${about} is not one of ${key.name}` };
  }
  return { origin, size: Number(size), root };
}

async function isSigned(lines: readonly string[], text: string, key: VerifierKey) {
  const raw = new Uint8Array(key.bytes);
  const publicKey = await crypto.subtle.importKey("raw", raw, "Ed25519", false, ["verify"]);
  for (const line of lines) {
    const signed = signatureIn(line, text, key);
    if (signed === undefined) continue;
    const { signature, covered } = signed;
    if (await crypto.subtle.verify("Ed25519", publicKey, signature, covered)) return true;
  }
  return false;
}

/** The signature in a line under the key's own name and id, and what it is said to cover. */
function signatureIn(line: string, text: string, key: VerifierKey) {
  const [, name, encoded] = /^— (\S+) ([A-Za-z0-9+/]+={0,2})$/.exec(line) ?? [];
  const bytes = fromBase64(encoded);
  if (name !== key.name || bytes === undefined) return undefined;
  if (!isSame(bytes.subarray(0, KEY_ID_BYTES), key.id)) return undefined;
  if (key.type === 1) return { signature: bytes.slice(KEY_ID_BYTES), covered: bytesOf(text) };
  if (bytes.length !== COSIGNATURE_BYTES) return undefined;
  const seconds = new DataView(bytes.buffer).getBigUint64(KEY_ID_BYTES);
  const covered = bytesOf(`cosignature/v1\ntime ${seconds}\n${text}`);
  return { signature: bytes.slice(KEY_ID_BYTES + 8), covered };
}
