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

/** An Ed25519 key pair; `publicBytes` are the 32 bytes of RFC 8032. */
export interface SigningKey {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly publicBytes: Uint8Array;
}

const ED25519_TYPE = 1;
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

/** `text` must end in a newline; `name` is the signer's, without spaces or plus. */
export function signNote(key: SigningKey, name: string, text: string): string {
  const signature = Buffer.concat([
    keyId(key, name),
    sign(null, Buffer.from(text), key.privateKey),
  ]);
  return `${text}\n— ${name} ${signature.toString("base64")}\n`;
}

/** The text that `key` signed under `name`; undefined for any note it did not. */
export function openNote(key: SigningKey, name: string, note: string): string | undefined {
  const end = note.lastIndexOf("\n\n");
  if (end < 0 || !note.endsWith("\n")) return undefined;
  const text = note.slice(0, end + 1);
  const lines = note.slice(end + 2, -1).split("\n");
  if (lines.length > MAX_SIGNATURES) return undefined;
  const id = keyId(key, name);
  let signed = false;
  for (const line of lines) {
    const parts = /^— ([^\s+]+) ([A-Za-z0-9+/]+={0,2})$/.exec(line);
    if (parts === null) return undefined;
    const [, signer, encoded = ""] = parts;
    const bytes = Buffer.from(encoded, "base64");
    if (bytes.toString("base64") !== encoded) return undefined;
    // Others may have signed too; only the key in hand is judged.
    if (signer !== name || !bytes.subarray(0, KEY_ID_BYTES).equals(id)) continue;
    if (bytes.length !== KEY_ID_BYTES + SIGNATURE_BYTES) return undefined;
    if (!verify(null, Buffer.from(text), key.publicKey, bytes.subarray(KEY_ID_BYTES))) {
      return undefined;
    }
    signed = true;
  }
  return signed ? text : undefined;
}

/** What a stranger needs to check the notes: `name+id+base64(type ‖ public key)`. */
export function verifierKey(key: SigningKey, name: string): string {
  const encoded = Buffer.concat([Uint8Array.of(ED25519_TYPE), key.publicBytes]).toString("base64");
  return `${name}+${keyId(key, name).toString("hex")}+${encoded}`;
}

function keyId(key: SigningKey, name: string): Buffer {
  const covered = [Buffer.from(`${name}\n`), Uint8Array.of(ED25519_TYPE), key.publicBytes];
  return hash("sha256", Buffer.concat(covered), "buffer").subarray(0, KEY_ID_BYTES);
}
