// Moves old partitions of the journal into the archive while this node leads, by a process of its
// own: compressing and reading back take the time of the exchange's loop from nobody.
// Invariant: one process at a time; a run that fails is told, and tried again at the next.
import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "#base/message-of.ts";
import { refuseOthersPlace } from "#journal/archive-owner.ts";
import type { JournalReader } from "#journal/journal.ts";
import { objectStoreAt } from "#storage/object-place.ts";
import { StorageRefusal } from "#storage/refusal.ts";
import { storeVariables } from "./archive-settings.ts";
import { compileCache } from "./compile-cache.ts";
import { fail, log } from "./faults.ts";
import type { Settings } from "./settings.ts";

const EVERY_MILLIS = 3_600_000;
const MOST_OUTPUT_CHARACTERS = 100_000;

/** A store that says nothing holds up no start; it is refused when it has spoken. */
const LOOK_MILLIS = 2_000;

type ArchiveSettings = Pick<Settings, "dataDir" | "databaseUrl" | "archive" | "archiveDays">;

/** @throws StorageRefusal where the archive that is named is another exchange's */
export async function lookAtArchive(
  { archive }: Pick<Settings, "archive">,
  journal: Pick<JournalReader, "read">,
): Promise<void> {
  const [first] = await journal.read(1, 1);
  if (archive === undefined || first === undefined) return;
  const looking = refuseOthersPlace(objectStoreAt(archive), first.hash).catch((error: unknown) => {
    if (error instanceof StorageRefusal) throw error;
    log.warn(`whose archive it is cannot be seen: ${messageOf(error)}`);
  });
  await Promise.race([looking, sleep(LOOK_MILLIS, undefined, { ref: false })]);
  looking.catch(fail);
}

export class Archiving {
  readonly #program: string;
  readonly #settings: ArchiveSettings;
  readonly #leads: () => boolean;
  readonly #timer: NodeJS.Timeout;
  #child: ChildProcess | undefined;
  #begunAt = 0;
  #failedRuns = 0;

  /** `program`: the path of the one that archives. */
  constructor(program: string, settings: ArchiveSettings, leads: () => boolean) {
    this.#program = program;
    this.#settings = settings;
    this.#leads = leads;
    this.#timer = setInterval(() => this.#run(), EVERY_MILLIS).unref();
    this.#run();
  }

  /** One after another, until one succeeds. */
  get failedRuns(): number {
    return this.#failedRuns;
  }

  /** 0 while none is. */
  get underWaySeconds(): number {
    return this.#child === undefined ? 0 : (performance.now() - this.#begunAt) / 1_000;
  }

  /** Ends a run that is under way: a later one goes on from there. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    const child = this.#child;
    if (child === undefined) return;
    const ended = new Promise((resolve) => child.once("close", resolve));
    child.kill("SIGKILL");
    await ended;
  }

  #run(): void {
    const { archive, archiveDays } = this.#settings;
    if (archive === undefined || archiveDays === undefined) return;
    if (this.#child !== undefined || !this.#leads()) return;
    const child = spawn(process.execPath, [this.#program], {
      env: {
        ...compileCache(),
        ...storeVariables(this.#settings),
        FIRSTPRINT_ARCHIVE_DAYS: String(archiveDays),
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child = child;
    this.#begunAt = performance.now();
    let said = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk: Buffer) => {
        if (said.length < MOST_OUTPUT_CHARACTERS) said += chunk.toString();
      });
    }
    child.once("error", (error) => log.warn(error, "archiving did not begin"));
    child.once("close", (code) => {
      this.#child = undefined;
      this.#failedRuns = code === 0 ? 0 : this.#failedRuns + 1;
      const severity = code === 0 ? "info" : "warn";
      for (const line of said.trim().split("\n")) log[severity](`archive: ${line}`);
    });
  }
}
