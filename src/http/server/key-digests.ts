// The digest of the key that a connection sends: nearly all of them send one key, at every request.
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

export class KeyDigests {
  readonly #newest = new WeakMap<Socket, KnownDigest>();

  of(socket: Socket, text: string, pepper: string): string {
    const secret = Buffer.from(text);
    const known = this.#newest.get(socket);
    const isKnown =
      known?.pepper === pepper &&
      known.secret.length === secret.length &&
      timingSafeEqual(known.secret, secret);
    if (isKnown) return known.digest;
    const digest = secretDigest(text, pepper);
    this.#newest.set(socket, { secret, pepper, digest });
    return digest;
  }
}
