// The whole journal and all first prints judged by a process of its own, with its own connection: a
// walk takes the time and the memory of a start, and the exchange serves meanwhile.
// Invariant: one process at a time; whoever asks meanwhile gets its answer. A sound answer is
// cached while nothing has been entered since, ten minutes at most; a finding is never cached.
import { type ChildProcess, spawn } from "node:child_process";
import { invariant } from "#base/invariant.ts";
import type { AuditVerification } from "./trading/ports.ts";

const CACHED_MILLIS = 600_000;
const MOST_OUTPUT_CHARACTERS = 10_000_000;

interface EngineStatus {
  readonly durableSequence: number;
  readonly engineTimeMillis: number;
}

/** It could not read the store: a fault of the storage, by PostgreSQL's code of an I/O error. */
class CannotLook extends Error {
  override readonly name = "CannotLook";
  readonly code = "58030";
}

interface CachedVerification {
  readonly sequence: number;
  readonly atMillis: number;
  readonly answer: AuditVerification;
}

export class OutsideVerifier {
  readonly #program: string;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #status: () => EngineStatus;
  #child: ChildProcess | undefined;
  #walk: Promise<AuditVerification> | undefined;
  #cached: CachedVerification | undefined;

  /** `program`: the path of the one that judges; `environment`: the program's own, which names its stores. */
  constructor(
    program: string,
    environment: Readonly<Record<string, string>>,
    status: () => EngineStatus,
  ) {
    this.#program = program;
    this.#environment = environment;
    this.#status = status;
  }

  verify(): Promise<AuditVerification> {
    const { durableSequence: sequence } = this.#status();
    const cached = this.#cached;
    const isNew = cached !== undefined && performance.now() - cached.atMillis < CACHED_MILLIS;
    if (isNew && cached.sequence === sequence) return Promise.resolve(cached.answer);
    this.#walk ??= this.#judge(sequence).finally(() => {
      this.#walk = undefined;
    });
    return this.#walk;
  }

  /** Nobody waits for it any more. */
  stop(): void {
    this.#child?.kill("SIGKILL");
  }

  async #judge(sequence: number): Promise<AuditVerification> {
    const found = await this.#run(sequence);
    const checkedAt = Math.floor(this.#status().engineTimeMillis / 1000);
    const answer = { ...found, checkedAt };
    const isSound = answer.valid && answer.damagedReleases.length === 0;
    this.#cached = isSound ? { sequence, atMillis: performance.now(), answer } : undefined;
    return answer;
  }

  #run(sequence: number): Promise<AuditVerification> {
    const child = spawn(process.execPath, [this.#program, "--json", String(sequence)], {
      env: this.#environment,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child = child;
    return new Promise((resolve, reject) => {
      let said = "";
      let complaint = "";
      child.stdout.on("data", (chunk: Buffer) => {
        if (said.length < MOST_OUTPUT_CHARACTERS) said += chunk.toString();
      });
      child.stderr.on("data", (chunk: Buffer) => {
        if (complaint.length < MOST_OUTPUT_CHARACTERS) complaint += chunk.toString();
      });
      child.once("error", reject);
      child.once("close", (code) => {
        this.#child = undefined;
        if (code === 0 || code === 1) resolve(answerIn(said));
        else reject(new CannotLook(`Verifying ended with ${code}: ${complaint.trim()}`));
      });
    });
  }
}

function answerIn(text: string): AuditVerification {
  const answer: unknown = JSON.parse(text);
  invariant(isAnswer(answer), "the verifying process answers with what it found");
  return answer;
}

const isAnswer = (value: unknown): value is AuditVerification =>
  typeof value === "object" && value !== null && "valid" in value && "damagedReleases" in value;
