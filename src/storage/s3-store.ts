// Objects in an S3-compatible store: raw files, each under a name that is given once, and archives
// of the journal.
// Invariant: a store that cannot be reached, is full or refuses is a fault that an operator mends;
// an object that is not there is told apart from it.
import { openAsBlob } from "node:fs";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { AwsClient } from "aws4fetch";
import { sha256Hex } from "#base/digest.ts";
import { messageOf } from "#base/message-of.ts";
import { AnswerTooLarge, upTo } from "#outbound/bounded.ts";
import type { ObjectStore } from "./object-folder.ts";

/** Where the store is, and with which key it is used. */
export interface ObjectStoreAddress {
  /** `https://host/bucket` or `https://host/bucket/prefix`. */
  readonly url: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** Told as what it is: the store's, and over once the store is mended. */
class ObjectStoreFault extends Error {
  readonly code = "OBJECT_STORE";
  /** Whether the same request may succeed a moment later. */
  readonly isPassing: boolean;

  constructor(message: string, isPassing = false) {
    super(message);
    this.isPassing = isPassing;
  }
}

/** The largest packed file is some 60 MB. */
const PATIENCE_MILLIS = 300_000;
/** For an object of an archive, which has some 5 MB: readers wait for it. */
const SHORT_PATIENCE_MILLIS = 30_000;
const WAITS_MILLIS = [100, 400];
/** The largest object of an archive is an entry with a release of every place, some 10 MB. */
const MOST_OBJECT_BYTES = 256 * 1024 * 1024;
/** A raw file is 512 MB at most before it is packed. */
const MOST_FILE_BYTES = 640 * 1024 * 1024;
/** A list of a thousand names, each of a thousand characters. */
const MOST_ANSWER_BYTES = 4 * 1024 * 1024;

export class S3Store implements ObjectStore {
  readonly place: string;
  readonly #client: AwsClient;
  readonly #bucket: string;
  readonly #prefix: string;

  constructor({ url, ...key }: ObjectStoreAddress) {
    this.place = url;
    const { origin, pathname } = new URL(url);
    const [, bucket = "", ...prefix] = pathname.replace(/\/+$/, "").split("/");
    this.#bucket = `${origin}/${bucket}`;
    this.#prefix = prefix.map((part) => `${part}/`).join("");
    // We try again ourselves, where it is known what for.
    this.#client = new AwsClient({ ...key, service: "s3", retries: 0 });
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    const body = new Blob([Uint8Array.from(bytes)]);
    const headers = { "x-amz-content-sha256": sha256Hex(bytes) };
    await again(async () => {
      const request = { headers, body, patienceMillis: SHORT_PATIENCE_MILLIS };
      const response = await this.#send("PUT", this.#urlOf(name), request);
      await done(response, `cannot keep ${name}`);
    });
  }

  get(name: string): Promise<Uint8Array | undefined> {
    return again(async () => {
      const response = await this.#read(name, SHORT_PATIENCE_MILLIS);
      return response && wholeOf(response, name, MOST_OBJECT_BYTES);
    });
  }

  /**
   * Under a name that is given once. `sha256`: of the file, in hex; the store compares it with
   * what arrives.
   */
  async putOnce(name: string, path: string, sha256: string): Promise<void> {
    const body = await openAsBlob(path);
    // A store that knows no conditions takes the bytes once more, under the same name.
    const headers = { "x-amz-content-sha256": sha256, "if-none-match": "*" };
    const response = await this.#send("PUT", this.#urlOf(name), { headers, body });
    // The object is there: a first attempt arrived whose answer was lost.
    if (response.status === 412) await textOf(response);
    else await done(response, `cannot keep ${name}`);
  }

  /** Undefined where there is no object of that name. */
  async open(name: string): Promise<Readable | undefined> {
    const response = await this.#read(name, PATIENCE_MILLIS);
    return (
      response && Readable.from(bytesOf(response, name, MOST_FILE_BYTES), { objectMode: false })
    );
  }

  /** One that is not there is gone already. */
  async remove(name: string): Promise<void> {
    const response = await this.#send("DELETE", this.#urlOf(name));
    if (response.status !== 404) await done(response, `cannot remove ${name}`);
  }

  /** The names of all objects; the first version of the list needs no token of the store's. */
  async *names(): AsyncGenerator<string> {
    const query = new URLSearchParams({ prefix: this.#prefix });
    for (;;) {
      const response = await this.#send("GET", `${this.#bucket}?${query}`);
      const text = await textOf(response);
      if (!response.ok) throw refused(response, text, "cannot list objects");
      const keys = [...text.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = ""]) => key);
      yield* keys.map((key) => key.slice(this.#prefix.length));
      const last = keys.at(-1);
      if (last === undefined || !text.includes("<IsTruncated>true</IsTruncated>")) return;
      query.set("marker", last);
    }
  }

  async #read(name: string, patienceMillis: number): Promise<Response | undefined> {
    const response = await this.#send("GET", this.#urlOf(name), { patienceMillis });
    if (response.ok) return response;
    const text = await textOf(response);
    if (response.status === 404 && text.includes("<Code>NoSuchKey</Code>")) return undefined;
    throw refused(response, text, `cannot read ${name}`);
  }

  #urlOf(name: string): string {
    return `${this.#bucket}/${this.#prefix}${name}`;
  }

  async #send(
    method: string,
    url: string,
    { headers = {}, body, patienceMillis = PATIENCE_MILLIS }: SentObject = {},
  ): Promise<Response> {
    const signed = await this.#client.sign(url, { method, headers });
    try {
      return await fetch(signed.url, {
        method,
        headers: signed.headers,
        // A store that sends us elsewhere is named as such: the operator gives its address.
        redirect: "manual",
        signal: AbortSignal.timeout(patienceMillis),
        ...(body === undefined ? {} : { body }),
      });
    } catch (error) {
      throw new ObjectStoreFault(
        `the object store is out of reach: ${causeOf(error)}`,
        !isTimeout(error),
      );
    }
  }
}

interface SentObject {
  readonly headers?: Record<string, string>;
  readonly body?: Blob;
  readonly patienceMillis?: number;
}

/** A store that is too busy asks to be asked again. */
async function again<T>(ask: () => Promise<T>): Promise<T> {
  for (const millis of WAITS_MILLIS) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof ObjectStoreFault && error.isPassing)) throw error;
      await sleep(millis);
    }
  }
  return ask();
}

/** The patience is over already. */
const isTimeout = (error: unknown): boolean =>
  error instanceof Error && error.name === "TimeoutError";

/** `fetch` says only that it failed; the cause says how. */
const causeOf = (error: unknown): string =>
  error instanceof Error && error.cause instanceof Error
    ? messageOf(error.cause) || String(Reflect.get(error.cause, "code"))
    : messageOf(error);

async function* bytesOf(
  { body }: Response,
  name: string,
  mostBytes: number,
): AsyncGenerator<Uint8Array> {
  try {
    yield* upTo(mostBytes, body);
  } catch (error) {
    if (error instanceof AnswerTooLarge) {
      throw new ObjectStoreFault(`the object store cannot give ${name}: ${error.message}`);
    }
    throw new ObjectStoreFault(
      `the object store broke off ${name}: ${causeOf(error)}`,
      !isTimeout(error),
    );
  }
}

async function wholeOf(response: Response, name: string, mostBytes: number): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(bytesOf(response, name, mostBytes)));
}

const textOf = async (response: Response): Promise<string> =>
  (await wholeOf(response, "its answer", MOST_ANSWER_BYTES)).toString();

async function done(response: Response, failure: string): Promise<void> {
  const text = await textOf(response);
  if (!response.ok) throw refused(response, text, failure);
}

function refused({ status }: Response, text: string, failure: string): ObjectStoreFault {
  const [, code = ""] = /<Code>([^<]*)<\/Code>/.exec(text) ?? [];
  const message = `the object store ${failure}: it answered ${status} ${code}`.trim();
  return new ObjectStoreFault(message, status === 429 || status >= 500);
}
