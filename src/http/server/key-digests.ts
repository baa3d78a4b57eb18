// The digests of the keys that a connection sends: nearly all of them send one key at each request,
// and a gateway's a few; while a former pepper is taken, each key has two.
// Invariant: what a digest stands for is looked up at every request, so a key that was revoked, or
// whose pepper is no longer taken, is nobody's at once.
import { timingSafeEqual } from "node:crypto";
import type { Socket } from "node:net";
import { secretDigest } from "./key-codec.ts";

interface KnownDigest {
  readonly secret: Buffer;
  readonly pepper: string;
  readonly digest: string;
}

/** Of a connection, the newest ones. */
const MOST_KEPT = 4;
const none: readonly KnownDigest[] = [];

export class KeyDigests {
  readonly #newest = new WeakMap<Socket, readonly KnownDigest[]>();

  of(socket: Socket, text: string, pepper: string): string {
    const secret = Buffer.from(text);
    const kept = this.#newest.get(socket) ?? none;
    for (const known of kept) if (isOf(known, secret, pepper)) return known.digest;
    const digest = secretDigest(text, pepper);
    this.#newest.set(socket, [{ secret, pepper, digest }, ...kept].slice(0, MOST_KEPT));
    return digest;
  }
}

const isOf = (known: KnownDigest, secret: Buffer, pepper: string): boolean =>
  known.pepper === pepper &&
  known.secret.length === secret.length &&
  timingSafeEqual(known.secret, secret);
