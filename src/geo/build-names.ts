// Names of places as ids, as other people write them, and as keys for finding one by another.
// Invariant: the same name gives the same id, key and aliases whatever else was read.
import { folded } from "./search-words.ts";
import { shortWords } from "./short-words.ts";
import { plainName } from "./tree.ts";

/** `Coeur d'Alene` → `coeur-dalene`; empty where the name has no letter or digit of ASCII. */
export const slugOf = (name: string): string =>
  folded(name)
    .replace(/['.]/g, "")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");

/** `Saint Mary's` and `St. Marys` have one key. */
export const spokenKey = (name: string): string =>
  plainName(
    shortWords.reduce(
      (text, [long, short]) => text.replace(new RegExp(`\\b${long}\\b`, "gi"), short),
      name,
    ),
  );

/** `St. Louis` is also written `Saint Louis` and `St Louis`. */
function variantsOf(name: string): string[] {
  return shortWords.flatMap(([long, short]) => {
    const either = new RegExp(`\\b(?:${long}|${short}\\.?)(?= )`, "g");
    return [long, `${short}.`, short].map((word) => name.replace(either, word));
  });
}

/**
 * Every other way to write a place's name, in an order of their own; what differs only in case or
 * accents is no other way.
 */
export function aliasesOf(name: string, spellings: Iterable<string>): string[] {
  const seen = new Set([folded(name)]);
  const aliases: string[] = [];
  for (const alias of [...variantsOf(name), ...[...spellings].sort()]) {
    if (!isUsable(alias) || alias.includes("|") || isGarbled(alias) || seen.has(folded(alias))) {
      continue;
    }
    seen.add(folded(alias));
    aliases.push(alias);
  }
  return aliases;
}

export const isUsable = (name: string): boolean =>
  folded(name) !== "" && name.length <= 200 && name.trim() === name;

/**
 * A name that was read in the wrong encoding on its way to the provider's file: `Ca±on City`. No
 * place is written with signs such as ±, ¦ or ©.
 */
export const isGarbled = (name: string): boolean => /[\p{S}\p{No}\p{Cf}]|Ã[¡-¿]/u.test(name);
