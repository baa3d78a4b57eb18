// A keep-alive connection that sends requests without waiting for the answers before them.
// Invariant: answers come in the order of the requests; each is given to its own, once.
import { connect, type Socket } from "node:net";

export interface Heard {
  readonly status: number;
  /** Head and body, one byte a character. */
  readonly text: string;
  /** From when the request was due until its answer was whole. */
  readonly millis: number;
}

interface Awaited {
  readonly dueMillis: number;
  readonly take: (heard: Heard) => void;
}

export class Wire {
  readonly #socket: Socket;
  readonly #awaited: Awaited[] = [];
  #first = 0;
  #unread = "";
  #unsent = "";
  #isClosed = false;

  constructor(port: number) {
    this.#socket = connect({ port, host: "127.0.0.1", noDelay: true });
    this.#socket.on("error", () => undefined);
    this.#socket.once("close", () => {
      this.#isClosed = true;
    });
    this.#socket.setEncoding("latin1").on("data", (chunk: string) => this.#read(chunk));
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Requests whose answers are still to come. */
  get waiting(): number {
    return this.#awaited.length - this.#first;
  }

  /** Written with the next `flush`; `dueMillis` as `performance.now` tells it. */
  ask(request: string, dueMillis: number, take: (heard: Heard) => void): void {
    this.#unsent += request;
    this.#awaited.push({ dueMillis, take });
  }

  flush(): void {
    if (this.#unsent === "") return;
    this.#socket.write(this.#unsent, "latin1");
    this.#unsent = "";
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(chunk: string): void {
    this.#unread += chunk;
    const now = performance.now();
    let from = 0;
    for (;;) {
      const end = answerEnd(this.#unread, from);
      if (end === undefined || end > this.#unread.length) break;
      const awaited = this.#awaited[this.#first];
      if (awaited === undefined) throw new Error(`nobody asked for ${this.#unread.slice(from)}`);
      this.#first += 1;
      const text = this.#unread.slice(from, end);
      awaited.take({ status: Number(text.slice(9, 12)), text, millis: now - awaited.dueMillis });
      from = end;
    }
    this.#unread = this.#unread.slice(from);
    // Answered requests are let go in one piece, not one by one.
    if (this.#first > 1_000) this.#awaited.splice(0, this.#first);
    if (this.#first > 1_000) this.#first = 0;
  }
}

/** Where the answer that begins at `from` ends; undefined while its head is not whole. */
function answerEnd(text: string, from: number): number | undefined {
  const headEnd = text.indexOf("\r\n\r\n", from);
  if (headEnd < 0) return undefined;
  const name = text.indexOf("content-length: ", from);
  if (name < 0 || name > headEnd) throw new Error(`no length: ${text.slice(from, headEnd)}`);
  return headEnd + 4 + Number.parseInt(text.slice(name + 16, name + 28), 10);
}
