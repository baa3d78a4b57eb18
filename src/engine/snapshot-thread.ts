// The thread that makes the pages of snapshots, and the leader's side of it.
// Invariant: it reads the database and writes nothing; its end costs a snapshot, never the node.
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { messageOf } from "#base/message-of.ts";
import { type JournalPlace, journalAt, portable } from "#journal/journal-place.ts";
import type { SigningKey } from "#journal/note.ts";
import { PageMaker, type Pages, type SnapshotMaker } from "./page-maker.ts";

interface ThreadOptions {
  readonly place: JournalPlace;
  readonly key: SigningKey;
  readonly log: (message: string) => void;
}

interface Question {
  readonly upTo: number;
  readonly afresh: boolean;
}

type Answer = { readonly said: string } | { readonly failed: string } | Pages;

/** It begins with the first snapshot: a node that stops before has never needed it. */
export class SnapshotThread implements SnapshotMaker {
  readonly #options: ThreadOptions;
  #worker: Worker | undefined;

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  pages(upTo: number, afresh: boolean): Promise<Pages> {
    const isNew = this.#worker === undefined;
    const worker = this.#worker ?? this.#begin();
    this.#worker = worker;
    return new Promise((resolve, reject) => {
      const ended = (error: Error): void => {
        this.#worker = undefined;
        done();
        reject(error);
      };
      const exited = (code: number): void => ended(new Error(`its thread ended with ${code}`));
      const heard = (answer: Answer): void => {
        if ("said" in answer) {
          this.#options.log(answer.said);
          return;
        }
        done();
        if ("failed" in answer) reject(new Error(answer.failed));
        else resolve(answer);
      };
      const done = (): void => {
        worker.off("message", heard).off("error", ended).off("exit", exited);
      };
      worker.on("message", heard).on("error", ended).on("exit", exited);
      worker.postMessage({ upTo, afresh: afresh || isNew } satisfies Question);
    });
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #begin(): Worker {
    const { place, key } = this.#options;
    const workerData: ThreadData = { place: portable(place), key };
    const worker = new Worker(new URL(import.meta.url), { workerData });
    // Between two snapshots nobody else listens.
    worker.on("error", ({ message }) => {
      this.#options.log(`the thread that makes snapshots has ended: ${message}`);
      if (this.#worker === worker) this.#worker = undefined;
    });
    worker.unref();
    return worker;
  }
}

interface ThreadData {
  readonly place: JournalPlace;
  readonly key: SigningKey;
}

const isThreadData = (data: unknown): data is ThreadData =>
  typeof data === "object" && data !== null && "place" in data && "key" in data;

if (!isMainThread && parentPort !== null && isThreadData(workerData)) {
  const port = parentPort;
  const { place, key } = workerData;
  const say = (answer: Answer): void => port.postMessage(answer);
  const journal = journalAt(place);
  const maker = new PageMaker({ journal, key, log: (said) => say({ said }) });
  port.on("message", ({ upTo, afresh }: Question) => {
    maker.pages(upTo, afresh).then(
      (pages) => say(pages),
      (error: unknown) => say({ failed: messageOf(error) }),
    );
  });
}
