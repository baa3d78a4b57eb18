// Signed checkpoints (C2SP signed-note, tlog-checkpoint, tlog-cosignature), read by a stranger.
// Invariant: nothing of the exchange's own code is used; what is returned was signed by the key.
import { createHash, createPublicKey, type KeyObject, verify } from "node:crypto";
import { Unusable } from "./export-cutter.ts";

/** 1 = of a log; 4 = of a witness. */
type KeyType = 1 | 4;

export interface VerifierKey {
  readonly name: string;
  readonly type: KeyType;
  readonly id: Buffer;
  /** The 32 bytes of RFC 8032. */
  readonly bytes: Buffer;
  readonly publicKey: KeyObject;
}

export interface SignedHead {
  readonly origin: string;
  readonly size: number;
  readonly root: Buffer;
}

/** `name+8 hex+base64(type ‖ 32 bytes)`: the C2SP form of an Ed25519 key. */
export function readVerifierKey(text: string, wanted: KeyType = 1): VerifierKey {
  const [, name = "", id, encoded = ""] =
    /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/.exec(text.trim()) ?? [];
  const typed = Buffer.from(encoded, "base64");
  const key = typed.length === 33 && typed[0] === wanted ? keyOf(name, wanted, typed) : undefined;
  if (key === undefined || key.id.toString("hex") !== id) {
    const what = wanted === 1 ? "an Ed25519 verifier key" : "a witness's Ed25519 verifier key";
    throw new Unusable(`"${text.trim().slice(0, 100)}" is not ${what}: name+id+base64`);
  }
  return key;
}

/** The same key under another name: that of the transparency log, from that of the chain. */
export const renamed = ({ type, bytes }: VerifierKey, name: string): VerifierKey =>
  keyOf(name, type, Buffer.concat([Uint8Array.of(type), bytes]));

function keyOf(name: string, type: KeyType, typed: Buffer): VerifierKey {
  const id = createHash("sha256").update(`${name}\n`).update(typed).digest().subarray(0, 4);
  const bytes = typed.subarray(1);
  const x = bytes.toString("base64url");
  const publicKey = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
  return { name, type, id, bytes, publicKey };
}

/** The head in a checkpoint, where the key has signed it; else why not. */
export function openNote(note: string, key: VerifierKey): SignedHead | { readonly fault: string } {
  const cut = note.indexOf("\n\n") + 1;
  const text = note.slice(0, cut);
  const [origin = "", size = "", encoded = ""] = text.split("\n");
  const about = `the checkpoint that says it is of ${size.slice(0, 16)} entries`;
  const lines = note.slice(cut + 1).split("\n");
  if (!lines.some((line) => signs(line, text, key))) {
    return { fault: `${about} is not signed by ${key.name} with this key` };
  }
  const root = Buffer.from(encoded, "base64");
  const isOwn = key.type === 4 || origin === key.name;
  if (!isOwn || !/^(0|[1-9][0-9]{0,15})$/.test(size) || root.length !== 32) {
    return { fault: `${about} is not one of ${key.name}` };
  }
  return { origin, size: Number(size), root };
}

function signs(line: string, text: string, key: VerifierKey): boolean {
  const [, name, encoded = ""] = /^— (\S+) ([A-Za-z0-9+/]+={0,2})$/.exec(line) ?? [];
  const bytes = Buffer.from(encoded, "base64");
  if (name !== key.name || !bytes.subarray(0, 4).equals(key.id)) return false;
  if (key.type === 1) return verify(null, Buffer.from(text), key.publicKey, bytes.subarray(4));
  if (bytes.length !== 76) return false;
  const covered = `cosignature/v1\ntime ${bytes.readBigUInt64BE(4)}\n${text}`;
  return verify(null, Buffer.from(covered), key.publicKey, bytes.subarray(12));
}
