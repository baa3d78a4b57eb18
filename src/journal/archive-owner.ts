// A place of archives has one owner: the exchange whose first entry an object there names.
// Invariant: nothing is written beside another exchange's objects, nor over those of a copy of this
// one that went on otherwise.

import type { ObjectStore } from "#storage/object-folder.ts";
import { StorageRefusal } from "#storage/refusal.ts";
import { ArchiveOutOfReach, unread } from "./archive.ts";
import { manifestName } from "./archive-manifest.ts";
import { putObject } from "./archive-writer.ts";

const NAME = "journal/exchange.json";

/** A partition as the database has it: the hash before its first entry, and that of its last. */
interface SealedPart {
  readonly first: number;
  readonly last: number;
  readonly previousHash: string;
  readonly hash: string;
}

/**
 * `genesis`: our first entry's hash.
 * @returns whether the place names us already; false where it names nobody
 * @throws StorageRefusal where it is another's
 */
export async function refuseOthersPlace(store: ObjectStore, genesis: string): Promise<boolean> {
  const found = await textsOf(store, NAME);
  if (found === undefined) return false;
  if (found.genesis === genesis) return true;
  throw new StorageRefusal(
    `The archive ${store.place} is another exchange's: its first entry has the hash ` +
      `${found.genesis}, and ours has ${genesis}. ${CURE}`,
  );
}

/** As `refuseOthersPlace`, before `part` is written: from here on the place is ours. */
export async function takePlace(
  store: ObjectStore,
  genesis: string,
  part: SealedPart,
): Promise<void> {
  const isOurs = await refuseOthersPlace(store, genesis);
  await refuseOthersPart(store, part);
  if (isOurs) return;
  await putObject(store, NAME, Buffer.from(`${JSON.stringify({ genesis })}\n`));
}

/** A version that marked no place may have written there, and so may a restored copy. */
async function refuseOthersPart(store: ObjectStore, part: SealedPart): Promise<void> {
  const found = await textsOf(store, manifestName(part));
  if (found === undefined) return;
  if (found.previousHash === part.previousHash && found.hash === part.hash) return;
  throw new StorageRefusal(
    `The archive ${store.place} holds entries ${part.first} to ${part.last} of another exchange, ` +
      `or of a copy of this one that went on otherwise. ${CURE}`,
  );
}

const CURE =
  "Set FIRSTPRINT_ARCHIVE to a folder or bucket of this exchange alone; nothing was written.";

/** The members of an object that are texts; undefined where it is missing, or cut off. */
async function textsOf(
  store: ObjectStore,
  name: string,
): Promise<Readonly<Record<string, string>> | undefined> {
  const bytes = await store.get(name).catch((cause: unknown) => {
    throw new ArchiveOutOfReach(unread(name, store.place, cause), { cause });
  });
  if (bytes === undefined) return undefined;
  try {
    const members = Object.entries(JSON.parse(Buffer.from(bytes).toString("utf8")) ?? {});
    const texts = members.flatMap(([key, value]) =>
      typeof value === "string" ? [[key, value]] : [],
    );
    return Object.fromEntries(texts);
  } catch {
    return undefined;
  }
}
