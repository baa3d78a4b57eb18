// An answer of the public surface, written once for all who ask.
// Invariant: it is the text that would be written anew, under the tag of that text.
import { writeData } from "../route/envelope.ts";
import type { WrittenData } from "../route/route.ts";
import { tagOf } from "./entity-tag.ts";

export function written(data: unknown, siblings: object = {}): Pick<WrittenData, "text" | "tag"> {
  const text = writeData("public", data, siblings);
  return { text, tag: tagOf(text) };
}
