// The whole journal and all first prints judged by a process of its own, with its own connection: a
// walk takes the time and the memory of a start, and the exchange serves meanwhile. The process
// stays, with the entry it came to, and proves what has been entered since.
// Invariant: one process and one question at a time; whoever asks meanwhile gets its answer. A
// process that has found something, or is a day old, ends: the next one walks from the first entry.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { invariant } from "#base/invariant.ts";
import type { AuditVerification } from "./trading/ports.ts";

const CACHED_MILLIS = 600_000;
/** An entry that was changed after it was proven is found within it. */
const STAYS_MILLIS = 86_400_000;
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

/** The process that stays. */
interface Verifier {
  readonly child: ChildProcessWithoutNullStreams;
  readonly startedMillis: number;
  /** The last entry that it found sound; 0 before the first answer. */
  proven: number;
}

export class OutsideVerifier {
  readonly #program: string;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #status: () => EngineStatus;
  #verifier: Verifier | undefined;
  #walk: Promise<AuditVerification> | undefined;
  #cached: CachedVerification | undefined;

  /**
   * `program`: the path of the one that judges; `environment`: the program's own, which names its
   * stores.
   */
  constructor(
    program: string,
    environment: Readonly<Record<string, string>>,
    status: () => EngineStatus,
  ) {
    this.#program = program;
    this.#environment = environment;
    this.#status = status;
  }

  /** How many entries an answer of this moment has to prove. */
  unproven(): number {
    const { durableSequence } = this.#status();
    const verifier = this.#verifier;
    const proven = verifier === undefined || hasStayed(verifier) ? 0 : verifier.proven;
    return Math.max(0, durableSequence - proven);
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
    this.#verifier?.child.kill("SIGKILL");
    this.#verifier = undefined;
  }

  async #judge(sequence: number): Promise<AuditVerification> {
    if (this.#verifier !== undefined && hasStayed(this.#verifier)) this.stop();
    const verifier = this.#verifier ?? this.#start();
    const found = await ask(verifier.child, sequence);
    const checkedAt = Math.floor(this.#status().engineTimeMillis / 1000);
    const answer = { ...found, checkedAt };
    const isSound = answer.valid && answer.damagedReleases.length === 0;
    this.#cached = isSound ? { sequence, atMillis: performance.now(), answer } : undefined;
    if (isSound) verifier.proven = sequence;
    else if (this.#verifier === verifier) this.stop();
    return answer;
  }

  #start(): Verifier {
    const child = spawn(process.execPath, [this.#program, "--serve"], {
      env: this.#environment,
    });
    const verifier = { child, startedMillis: performance.now(), proven: 0 };
    this.#verifier = verifier;
    child.once("close", () => {
      if (this.#verifier === verifier) this.#verifier = undefined;
    });
    // A process that has ended reads no question; that is told where its answer is awaited.
    child.stdin.on("error", () => undefined);
    return verifier;
  }
}

const hasStayed = ({ startedMillis }: Verifier): boolean =>
  performance.now() - startedMillis > STAYS_MILLIS;

/** Writes a line with the last entry there is, and reads a line of JSON. */
function ask(child: ChildProcessWithoutNullStreams, sequence: number): Promise<AuditVerification> {
  return new Promise<string>((resolve, reject) => {
    let said = "";
    let complaint = "";
    const settle = (done: () => void): void => {
      child.stdout.off("data", onSaid);
      child.stderr.off("data", onComplaint);
      child.off("error", onError);
      child.off("close", onClose);
      done();
    };
    const onSaid = (chunk: Buffer): void => {
      if (said.length < MOST_OUTPUT_CHARACTERS) said += chunk.toString();
      const end = said.indexOf("\n");
      if (end >= 0) settle(() => resolve(said.slice(0, end)));
    };
    const onComplaint = (chunk: Buffer): void => {
      if (complaint.length < MOST_OUTPUT_CHARACTERS) complaint += chunk.toString();
    };
    const onError = (error: Error): void => settle(() => reject(error));
    const onClose = (code: number | null): void =>
      settle(() => reject(new CannotLook(`Verifying ended with ${code}: ${complaint.trim()}`)));
    child.stdout.on("data", onSaid);
    child.stderr.on("data", onComplaint);
    child.once("error", onError);
    child.once("close", onClose);
    child.stdin.write(`${sequence}\n`);
  }).then(answerIn);
}

function answerIn(text: string): AuditVerification {
  const answer: unknown = JSON.parse(text);
  invariant(isAnswer(answer), "the verifying process answers with what it found");
  return answer;
}

const isAnswer = (value: unknown): value is AuditVerification =>
  typeof value === "object" && value !== null && "valid" in value && "damagedReleases" in value;
