// Objects in an S3-compatible store, each under a name that is given once.
// Invariant: a store that cannot be reached, is full or refuses is a fault that an operator mends;
// an object that is not there is told apart from it.
import { openAsBlob } from "node:fs";
import { Readable } from "node:stream";
import { AwsClient } from "aws4fetch";
import { messageOf } from "#base/message-of.ts";

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
}

/** The largest packed file is some 60 MB. */
const PATIENCE_MILLIS = 300_000;

export class S3Store {
  readonly #client: AwsClient;
  readonly #bucket: string;
  readonly #prefix: string;

  constructor({ url, ...key }: ObjectStoreAddress) {
    const { origin, pathname } = new URL(url);
    const [, bucket = "", ...prefix] = pathname.replace(/\/+$/, "").split("/");
    this.#bucket = `${origin}/${bucket}`;
    this.#prefix = prefix.map((part) => `${part}/`).join("");
    // We try again ourselves, where it is known what for.
    this.#client = new AwsClient({ ...key, service: "s3", retries: 0 });
  }

  /** `sha256`: of the file, in hex; the store compares it with what arrives. */
  async put(name: string, path: string, sha256: string): Promise<void> {
    const body = await openAsBlob(path);
    // A store that knows no conditions takes the bytes once more, under the same name.
    const headers = { "x-amz-content-sha256": sha256, "if-none-match": "*" };
    const response = await this.#send("PUT", this.#urlOf(name), { headers, body });
    await done(response, `cannot keep ${name}`);
  }

  /** Undefined where there is no object of that name. */
  async get(name: string): Promise<Readable | undefined> {
    const response = await this.#send("GET", this.#urlOf(name));
    if (response.status === 404) {
      const text = await response.text();
      if (text.includes("<Code>NoSuchKey</Code>")) return undefined;
      throw refused(response, text, `cannot read ${name}`);
    }
    if (!response.ok) throw refused(response, await response.text(), `cannot read ${name}`);
    return Readable.from(bytesOf(response, name), { objectMode: false });
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
      const text = await response.text();
      if (!response.ok) throw refused(response, text, "cannot list objects");
      const keys = [...text.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = ""]) => key);
      yield* keys.map((key) => key.slice(this.#prefix.length));
      const last = keys.at(-1);
      if (last === undefined || !text.includes("<IsTruncated>true</IsTruncated>")) return;
      query.set("marker", last);
    }
  }

  #urlOf(name: string): string {
    return `${this.#bucket}/${this.#prefix}${name}`;
  }

  async #send(
    method: string,
    url: string,
    { headers = {}, body }: { headers?: Record<string, string>; body?: Blob } = {},
  ): Promise<Response> {
    const signed = await this.#client.sign(url, { method, headers });
    try {
      return await fetch(signed.url, {
        method,
        headers: signed.headers,
        signal: AbortSignal.timeout(PATIENCE_MILLIS),
        ...(body === undefined ? {} : { body }),
      });
    } catch (error) {
      throw new ObjectStoreFault(`the object store is out of reach: ${causeOf(error)}`);
    }
  }
}

/** `fetch` says only that it failed; the cause says how. */
const causeOf = (error: unknown): string =>
  error instanceof Error && error.cause instanceof Error
    ? messageOf(error.cause) || String(Reflect.get(error.cause, "code"))
    : messageOf(error);

async function* bytesOf({ body }: Response, name: string): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  try {
    yield* body;
  } catch (error) {
    throw new ObjectStoreFault(`the object store broke off ${name}: ${causeOf(error)}`);
  }
}

async function done(response: Response, failure: string): Promise<void> {
  const text = await response.text();
  // The object is there: a first attempt arrived whose answer was lost.
  if (!response.ok && response.status !== 412) throw refused(response, text, failure);
}

function refused({ status }: Response, text: string, failure: string): ObjectStoreFault {
  const [, code = ""] = /<Code>([^<]*)<\/Code>/.exec(text) ?? [];
  return new ObjectStoreFault(`the object store ${failure}: it answered ${status} ${code}`.trim());
}
