// The one name of `node:crypto` that the verifier of exports uses, for a browser: the build and the
// types put this file in its place. A browser's own digest answers later, and never at once.
// Invariant: the digests are those of a tried package; nothing of SHA-256 is written here.
import { sha256 } from "@noble/hashes/sha2.js";

/** SHA-256s that were begun, for whoever reports how quickly. */
export const made = { hashes: 0 };

const fresh = sha256.create();
const working = sha256.create();

/** One at a time: the verifier ends each before it begins the next, so none is made anew. */
export function createHash(_algorithm: "sha256") {
  made.hashes += 1;
  return fresh._cloneInto(working);
}
