// Signed notes (C2SP signed-note): text, and lines that say who vouches for it with Ed25519.
// Invariant: `openNote` returns only text that the key in hand has signed, byte for byte.
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hash,
  type KeyObject,
  sign,
  verify,
} from "node:crypto";

/** `publicBytes` are the 32 bytes of RFC 8032. */
interface PublicHalf {
  readonly publicKey: KeyObject;
  readonly publicBytes: Uint8Array;
}

/** An Ed25519 key pair, and those that were in its place. */
export interface SigningKey extends PublicHalf {
  readonly privateKey: KeyObject;
  /** Oldest first: what they have signed stays readable. */
  readonly former?: readonly FormerKey[];
}

export interface FormerKey extends PublicHalf {
  /** Until then it signs beside the key that took its place. */
  readonly untilMillis: number;
  /** Absent when its time is over. */
  readonly privateKey?: KeyObject;
}

const ED25519_TYPE = 1;
const COSIGNATURE_TYPE = 4;
const TIME_BYTES = 8;
const SIGNATURE_BYTES = 64;
const PUBLIC_BYTES = 32;
const KEY_ID_BYTES = 4;
const MAX_SIGNATURES = 16;

export const generateSigningKey = (): SigningKey =>
  keyPair(generateKeyPairSync("ed25519").privateKey);

/** Reads a private key in PKCS#8 PEM; refuses any that is not Ed25519. */
export function readSigningKey(pem: string): SigningKey {
  const key = createPrivateKey(pem);
  if (key.asymmetricKeyType !== "ed25519") throw new Error("the key is not an Ed25519 key");
  return keyPair(key);
}

export const writeSigningKey = (key: SigningKey): string =>
  key.privateKey.export({ type: "pkcs8", format: "pem" }).toString();

function keyPair(privateKey: KeyObject): SigningKey {
  const publicKey = createPublicKey(privateKey);
  const publicBytes = publicKey.export({ type: "spki", format: "der" }).subarray(-PUBLIC_BYTES);
  return { privateKey, publicKey, publicBytes };
}

const publicKeyOf = (bytes: Uint8Array): KeyObject =>
  createPublicKey({
    key: { kty: "OKP", crv: "Ed25519", x: Buffer.from(bytes).toString("base64url") },
    format: "jwk",
  });

/** A key that was replaced, in a line: the end of its time, its public and its private half. */
export const writeFormerKey = ({ untilMillis, publicBytes, privateKey }: FormerKey): string =>
  [
    new Date(untilMillis).toISOString(),
    Buffer.from(publicBytes).toString("base64"),
    ...(privateKey === undefined
      ? []
      : [privateKey.export({ type: "pkcs8", format: "der" }).toString("base64")]),
  ].join(" ");

/** Throws where the line is none. */
export function readFormerKey(line: string): FormerKey {
  const [until = "", encoded = "", secret] = line.split(" ");
  const untilMillis = Date.parse(until);
  const publicBytes = Buffer.from(encoded, "base64");
  if (Number.isNaN(untilMillis) || publicBytes.length !== PUBLIC_BYTES) {
    throw new Error("a line is a time, a public key, and while it signs a private one");
  }
  const former = { untilMillis, publicBytes, publicKey: publicKeyOf(publicBytes) };
  if (secret === undefined) return former;
  const key = Buffer.from(secret, "base64");
  return { ...former, privateKey: createPrivateKey({ key, type: "pkcs8", format: "der" }) };
}

/** `text` must end in a newline; `name` is the signer's, without spaces or plus. */
export function signNote(key: SigningKey, name: string, text: string): string {
  const signature = Buffer.concat([
    keyId(key, name),
    sign(null, Buffer.from(text), key.privateKey),
  ]);
  return `${text}\n— ${name} ${signature.toString("base64")}\n`;
}

/** The note, and below it the signatures of the former keys whose time lasts. */
export function signedByFormer(key: SigningKey, name: string, note: string): string {
  const text = note.slice(0, note.lastIndexOf("\n\n") + 1);
  const lines = (key.former ?? []).flatMap(({ privateKey, ...former }) => {
    if (privateKey === undefined) return [];
    const signed = signNote({ ...former, privateKey }, name, text);
    return [signed.slice(text.length + 1)];
  });
  return `${note}${lines.join("")}`;
}

/** The text that `key`, or one before it, signed under `name`; undefined for any other note. */
export function openNote(key: SigningKey, name: string, note: string): string | undefined {
  for (const one of [key, ...(key.former ?? [])]) {
    const text = openedByOne(one, name, note);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** The text that `key` itself has signed. */
export const openedByOne = (key: PublicHalf, name: string, note: string): string | undefined =>
  openedBy({ name, type: ED25519_TYPE, id: keyId(key, name), publicKey: key.publicKey }, note)
    ?.text;

/** Somebody else's key: enough to check what it signed. */
export interface VerifierKey {
  readonly name: string;
  /** 1 = of a log; 4 = of a witness, whose signatures have a time (C2SP tlog-cosignature). */
  readonly type: number;
  readonly id: Uint8Array;
  readonly publicKey: KeyObject;
}

/** Reads `name+id+base64(type ‖ public key)`; throws where it is none of Ed25519. */
export function readVerifierKey(text: string): VerifierKey {
  const [, name = "", id, encoded = ""] =
    /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  const typed = Buffer.from(encoded, "base64");
  const [type] = typed;
  const isKnown = type === ED25519_TYPE || type === COSIGNATURE_TYPE;
  if (!isKnown || typed.length !== 1 + PUBLIC_BYTES || idOf(name, typed).toString("hex") !== id) {
    throw new Error(`"${text.slice(0, 120)}" is no verifier key: name+id+base64, of Ed25519`);
  }
  return { name, type, id: idOf(name, typed), publicKey: publicKeyOf(typed.subarray(1)) };
}

/** The note's text and the key's own signature lines; undefined where there is no valid one. */
export function openedBy(
  key: VerifierKey,
  note: string,
): { readonly text: string; readonly lines: string } | undefined {
  const end = note.lastIndexOf("\n\n");
  if (end < 0 || !note.endsWith("\n")) return undefined;
  const text = note.slice(0, end + 1);
  const lines = note.slice(end + 2, -1).split("\n");
  if (lines.length > MAX_SIGNATURES) return undefined;
  const own: string[] = [];
  for (const line of lines) {
    const parts = /^— ([^\s+]+) ([A-Za-z0-9+/]+={0,2})$/.exec(line);
    if (parts === null) return undefined;
    const [, signer, encoded = ""] = parts;
    const bytes = Buffer.from(encoded, "base64");
    if (bytes.toString("base64") !== encoded) return undefined;
    // Others may have signed too; only the key in hand is judged.
    if (signer !== key.name || !bytes.subarray(0, KEY_ID_BYTES).equals(key.id)) continue;
    if (!isSigned(key, text, bytes.subarray(KEY_ID_BYTES))) return undefined;
    own.push(`${line}\n`);
  }
  return own.length === 0 ? undefined : { text, lines: own.join("") };
}

function isSigned({ type, publicKey }: VerifierKey, text: string, bytes: Buffer): boolean {
  const timeBytes = type === COSIGNATURE_TYPE ? TIME_BYTES : 0;
  if (bytes.length !== timeBytes + SIGNATURE_BYTES) return false;
  const covered =
    type === COSIGNATURE_TYPE ? cosignedText(bytes.readBigUInt64BE(), text) : Buffer.from(text);
  return verify(null, covered, publicKey, bytes.subarray(timeBytes));
}

const cosignedText = (seconds: bigint, text: string): Buffer =>
  Buffer.from(`cosignature/v1\ntime ${seconds}\n${text}`);

/** A witness's signature line on a checkpoint's text, at this time (C2SP tlog-cosignature). */
export function cosign(key: SigningKey, name: string, text: string, seconds: number): string {
  const time = Buffer.alloc(TIME_BYTES);
  time.writeBigUInt64BE(BigInt(seconds));
  const signature = sign(null, cosignedText(BigInt(seconds), text), key.privateKey);
  const bytes = Buffer.concat([keyId(key, name, COSIGNATURE_TYPE), time, signature]);
  return `— ${name} ${bytes.toString("base64")}\n`;
}

/** The key with which anybody can check the notes: `name+id+base64(type ‖ public key)`. */
export const verifierKey = (key: SigningKey, name: string): string =>
  verifierKeyOf(key, name, ED25519_TYPE);

/** The same of a witness, which cosigns. */
export const cosignerKey = (key: SigningKey, name: string): string =>
  verifierKeyOf(key, name, COSIGNATURE_TYPE);

function verifierKeyOf(key: SigningKey, name: string, type: number): string {
  const encoded = Buffer.concat([Uint8Array.of(type), key.publicBytes]).toString("base64");
  return `${name}+${keyId(key, name, type).toString("hex")}+${encoded}`;
}

const keyId = (key: PublicHalf, name: string, type = ED25519_TYPE): Buffer =>
  idOf(name, Buffer.concat([Uint8Array.of(type), key.publicBytes]));

const idOf = (name: string, typed: Uint8Array): Buffer =>
  hash("sha256", Buffer.concat([Buffer.from(`${name}\n`), typed]), "buffer").subarray(
    0,
    KEY_ID_BYTES,
  );
