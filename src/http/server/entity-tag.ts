// Entity tags: whether an answer is the one that its reader has already.
// Invariant: a tag is a digest of what the answer says, so equal tags mean equal answers, whatever
// made them; only what everybody is shown has one.
import { hash } from "node:crypto";

const TAG_CHARACTERS = 22;
/** Of files, which are the same bytes each time; a text is made anew for each answer. */
const tagsOfFiles = new WeakMap<Uint8Array, string>();

/** Weak: the same in every content coding. */
export function tagOf(body: string | Uint8Array): string {
  if (typeof body === "string") return tagNow(body);
  const known = tagsOfFiles.get(body);
  if (known !== undefined) return known;
  const tag = tagNow(body);
  tagsOfFiles.set(body, tag);
  return tag;
}

const tagNow = (body: string | Uint8Array): string =>
  `W/"${hash("sha256", body, "base64url").slice(0, TAG_CHARACTERS)}"`;

/** Whether If-None-Match names the tag, compared weakly (RFC 9110, 8.8.3.2 and 13.1.2). */
export function isHeld(ifNoneMatch: readonly string[], tag: string): boolean {
  if (ifNoneMatch.length === 0) return false;
  const text = ifNoneMatch.join(",").trim();
  if (text === "*") return true;
  const [, opaque = ""] = /"(.*)"/.exec(tag) ?? [];
  return [...text.matchAll(/"([\x21\x23-\x7e\x80-\xff]*)"/g)].some(([, held]) => held === opaque);
}
