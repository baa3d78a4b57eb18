// `npm run archive`: moves partitions of the journal that are old enough into the archive, as the
// journal's owner, whether or not it is being served.
// Invariant: what it removes from the database it has read back from the archive; it exits 0 when
// nothing is left to move, 2 where it cannot, and says why.
import { messageOf } from "#base/message-of.ts";
import { archiveOld } from "#journal/move-partitions.ts";
import { archive } from "#node/settings.ts";
import { SettingsFault } from "#node/settings-fault.ts";
import { openBeside } from "#storage/beside.ts";
import { ROLE } from "#storage/embedded-folder.ts";
import { objectStoreAt } from "#storage/object-place.ts";

const DAY_MILLIS = 86_400_000;
const dataDir = process.env.FIRSTPRINT_DATA_DIR || "./.firstprint";

async function run(): Promise<void> {
  const settings = archive((name) => process.env[name] || undefined);
  if (settings.archive === undefined || settings.archiveDays === undefined) {
    throw new SettingsFault("Set FIRSTPRINT_ARCHIVE and FIRSTPRINT_ARCHIVE_DAYS.");
  }
  const store = objectStoreAt(settings.archive);
  const olderThanMillis = settings.archiveDays * DAY_MILLIS;
  const log = (message: string): void => console.log(message);
  const moved = await asOwner((owner) => archiveOld(owner, { store, olderThanMillis, log }));
  if (moved.length === 0) log("no partition of the journal is old enough");
}

type ArchiveOwner = Parameters<typeof archiveOld>[0];

async function asOwner<T>(work: (owner: ArchiveOwner) => Promise<T>): Promise<T> {
  const { DATABASE_URL: databaseUrl } = process.env;
  const { config, close } = await openBeside(dataDir, databaseUrl, "firstprint-archive", ROLE);
  try {
    return await work(config);
  } finally {
    await close();
  }
}

try {
  await run();
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 2;
}
