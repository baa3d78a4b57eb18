// Sends the heads of the transparency log to the witnesses, and keeps what they cosign.
// Invariant: one round at a time, the newest head only; a witness that refuses or does not answer
// holds up nothing, and what it says is told once and shown for as long as it holds.
import type { Note } from "#journal/journal.ts";
import { openedBy, readVerifierKey, type VerifierKey } from "#journal/note.ts";
import { textUpTo } from "#outbound/bounded.ts";

/** A witness as the operator named it. */
export interface WitnessAddress {
  /** As C2SP writes it, of type 4. */
  readonly verifierKey: string;
  /** The submission prefix. */
  readonly url: string;
}

interface WitnessPeer extends WitnessAddress {
  readonly key: VerifierKey;
  cosignedSize: number;
  refusal: string | null;
}

/** Where proofs come from, and where cosignatures go. */
interface ProofSource {
  readonly history: {
    log(): { consistency(from: number, to: number): Promise<readonly Uint8Array[]> } | undefined;
  };
  /** `lines`: valid signature lines, newlines included. */
  cosigned(head: Note, lines: string): Promise<void>;
}

type Tell = (severity: "info" | "error", sentence: string) => void;

const ANSWER_MILLIS = 10_000;
/** A cosignature has some 200. */
const MOST_ANSWER_BYTES = 16_384;
const ROUND_MILLIS = 1_000;

export class WitnessClient {
  readonly #peers: readonly WitnessPeer[];
  readonly #tell: Tell;
  #source: ProofSource | undefined;
  #next: Note | undefined;
  #round: Promise<void> | undefined;
  readonly #end = new AbortController();

  constructor(witnesses: readonly WitnessAddress[], tell: Tell) {
    this.#tell = tell;
    this.#peers = witnesses.map((address) => ({
      ...address,
      key: readVerifierKey(address.verifierKey),
      cosignedSize: 0,
      refusal: "It has not answered yet.",
    }));
  }

  /** As the public surface shows them. */
  get states() {
    return this.#peers.map(({ key, verifierKey, cosignedSize, refusal }) => ({
      name: key.name,
      verifierKey,
      cosignedSize,
      refusal,
    }));
  }

  /** From here on heads are sent, beginning with the newest that was submitted before. */
  start(source: ProofSource): void {
    this.#source = source;
    if (this.#next !== undefined) this.submit(this.#next);
  }

  /** A head that has been signed and kept; sent at once, or when the round under way is over. */
  submit(head: Note): void {
    if (this.#peers.length === 0 || this.#end.signal.aborted) return;
    this.#next = head;
    const source = this.#source;
    if (source === undefined) return;
    this.#round ??= this.#rounds(source).finally(() => {
      this.#round = undefined;
    });
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.#round;
  }

  async #rounds(source: ProofSource): Promise<void> {
    while (this.#next !== undefined && !this.#end.signal.aborted) {
      const head = this.#next;
      this.#next = undefined;
      const pause = this.#pause();
      const lines = await Promise.all(this.#peers.map((peer) => this.#ask(source, peer, head)));
      const cosignatures = lines.join("");
      if (cosignatures !== "") {
        await source.cosigned(head, cosignatures).catch((error: unknown) => {
          this.#tell("error", `cosignatures were not kept: ${said(error)}`);
        });
      }
      await pause;
    }
  }

  #pause(): Promise<void> {
    return new Promise((done) => {
      const timer = setTimeout(done, ROUND_MILLIS);
      this.#end.signal.addEventListener("abort", () => {
        clearTimeout(timer);
        done();
      });
    });
  }

  /** Its valid signature lines on the head; none where it gave none. */
  async #ask(source: ProofSource, peer: WitnessPeer, head: Note): Promise<string> {
    try {
      const lines = await this.#cosignature(source, peer, head);
      if (peer.refusal !== null) {
        this.#tell("info", `the witness ${peer.key.name} cosigns from entry ${head.size}`);
      }
      peer.cosignedSize = head.size;
      peer.refusal = null;
      return lines;
    } catch (error) {
      const refusal = said(error);
      if (refusal !== peer.refusal && !this.#end.signal.aborted) {
        this.#tell("error", `the witness ${peer.key.name}: ${refusal}`);
      }
      peer.refusal = refusal;
      return "";
    }
  }

  async #cosignature(source: ProofSource, peer: WitnessPeer, head: Note): Promise<string> {
    let answer = await this.#send(source, peer, head, peer.cosignedSize);
    if (answer.status === 409) {
      const known = Number((await textUpTo(MOST_ANSWER_BYTES, answer)).trim());
      if (!Number.isSafeInteger(known) || known < 0) throw new Error("It answers no size.");
      if (known > head.size) {
        throw new Error(
          `It has cosigned ${known} entries and this journal has ${head.size}: the journal was ` +
            "cut off or rewritten, or the witness knows another exchange of this name.",
        );
      }
      answer = await this.#send(source, peer, head, known);
    }
    const text = await textUpTo(MOST_ANSWER_BYTES, answer);
    if (answer.status === 422) {
      throw new Error(
        "This journal does not begin with the entries it has cosigned: " +
          "the journal was rewritten, or went on otherwise after an older backup.",
      );
    }
    if (answer.status !== 200)
      throw new Error(`It answers ${answer.status}: ${text.slice(0, 200)}`);
    const opened = openedBy(peer.key, `${head.note}${text}`);
    if (opened === undefined)
      throw new Error("Its answer is not signed by the key it is known by.");
    return opened.lines;
  }

  async #send(
    { history }: ProofSource,
    { url }: WitnessPeer,
    head: Note,
    oldSize: number,
  ): Promise<Response> {
    // Of a witness that knows nothing, and of one whose state we do not know, 0 asks for it.
    const proof =
      oldSize > head.size ? [] : ((await history.log()?.consistency(oldSize, head.size)) ?? []);
    const lines = proof.map((hash) => `${Buffer.from(hash).toString("base64")}\n`).join("");
    return fetch(`${url.replace(/\/$/, "")}/add-checkpoint`, {
      method: "POST",
      body: `old ${Math.min(oldSize, head.size)}\n${lines}\n${ownPart(head.note)}`,
      redirect: "error",
      signal: AbortSignal.any([this.#end.signal, AbortSignal.timeout(ANSWER_MILLIS)]),
    });
  }
}

/**
 * Without cosignatures: the lines under the log's own name. A log whose key is changed signs with
 * both, and the witness may know either.
 */
function ownPart(note: string): string {
  const end = note.lastIndexOf("\n\n") + 2;
  const [origin = ""] = note.split("\n", 1);
  const lines = note.slice(end).split("\n");
  const own = lines.filter((line) => line.startsWith(`— ${origin} `));
  return note.slice(0, end) + own.map((line) => `${line}\n`).join("");
}

const said = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error ? `${error.message}: ${cause.message}` : error.message;
};
