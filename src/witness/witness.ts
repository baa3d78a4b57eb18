// A witness (C2SP tlog-witness): remembers the newest head of each log it was told of, and cosigns
// a later one only with a proof that the log it knows is the beginning of it.
// Invariant: a head is on disk before its cosignature leaves, and no head takes the place of one
// that it does not contain; so two histories of one log are never both cosigned. Evidence that was
// kept stays as it is, whatever comes after it.
import { hash } from "node:crypto";
import { mkdir, open, readdir, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { hasCode } from "#base/error-code.ts";
import {
  beginsOtherwise,
  emptyRoot,
  HASH_BYTES,
  isConsistent,
  type TreeHead,
} from "#journal/merkle.ts";
import {
  cosign,
  cosignerKey,
  generateSigningKey,
  openedBy,
  readSigningKey,
  type SigningKey,
  type VerifierKey,
  writeSigningKey,
} from "#journal/note.ts";
import { keepSecret, syncFolder } from "#storage/secret-file.ts";

const KEY_FILE = "witness.key";
const MOST_PROOF_LINES = 63;
/** Heads of a log that are kept because they contradict what was cosigned; each has its file. */
const MOST_KEPT = {
  /** Only the log itself can make one. */
  conflict: 1_000,
  /** A stranger can make one of any head of the log: by leaving its proof out. */
  unproven: 100,
} as const;
type Evidence = keyof typeof MOST_KEPT;

/** The response over HTTP. */
interface WitnessResponse {
  readonly status: 200 | 400 | 403 | 404 | 409 | 422;
  readonly body: string;
  readonly contentType: string;
}

/** A head that was cosigned, with the text it stands in. */
interface CosignedHead extends TreeHead {
  /** Undefined before the first one. */
  readonly note: string | undefined;
}

interface Submission {
  readonly oldSize: number;
  readonly proof: readonly Buffer[];
  readonly note: string;
}

export class Witness {
  readonly verifierKey: string;
  readonly #name: string;
  readonly #key: SigningKey;
  readonly #folder: string;
  /** By origin, which is the name of the log's key. */
  readonly #logs: ReadonlyMap<string, VerifierKey>;
  readonly #tell: (sentence: string) => void;
  /** By origin, as they are on disk; read when they are first asked for. */
  readonly #heads = new Map<string, Promise<CosignedHead>>();
  /** By origin, one submission after another: a head is compared with the one it replaces. */
  readonly #last = new Map<string, Promise<unknown>>();
  /** Evidence that is kept or under way, by the name of its file. */
  readonly #evidence: Set<string>;
  /** One file after another, beside the heads: no log waits for what is kept against one. */
  #keeping: Promise<unknown> = Promise.resolve();

  private constructor(
    name: string,
    key: SigningKey,
    folder: string,
    logs: readonly VerifierKey[],
    tell: (sentence: string) => void,
    evidence: Set<string>,
  ) {
    this.#evidence = evidence;
    this.#name = name;
    this.#key = key;
    this.#folder = folder;
    this.#logs = new Map(logs.map((log) => [log.name, log]));
    this.#tell = tell;
    this.verifierKey = cosignerKey(key, name);
  }

  /** Its key is made in the folder at the first start (mode 600). `tell`: of what it refuses. */
  static async open(
    folder: string,
    name: string,
    logs: readonly VerifierKey[],
    tell: (sentence: string) => void,
  ): Promise<Witness> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const make = (): string => writeSigningKey(generateSigningKey());
    const { secret } = await keepSecret(folder, KEY_FILE, make);
    const evidence = new Set(await readdir(folder));
    return new Witness(name, readSigningKey(secret), folder, logs, tell, evidence);
  }

  /** `body`: of `POST /add-checkpoint`. */
  async add(body: string): Promise<WitnessResponse> {
    const submission = readSubmission(body);
    if (submission === undefined) return text(400, "this is no add-checkpoint request");
    const { oldSize, proof, note } = submission;
    const [origin = ""] = note.split("\n", 1);
    const log = this.#logs.get(origin);
    if (log === undefined) return text(404, "this witness was not told of that log");
    const opened = openedBy(log, note);
    if (opened === undefined) return text(403, "the checkpoint is not signed by the log's key");
    const head = readHead(opened.text);
    if (head === undefined || oldSize > head.size) {
      return text(400, "the checkpoint has no size and root, or is older than the old size");
    }
    const before = await this.#inOrder(origin, () =>
      this.#advance(origin, opened, head, submission),
    );
    if ("status" in before) return before;
    await this.#keepEvidence(origin, body, before, head, proof);
    return text(422, `the tree is not one that begins with the ${before.size} leaves cosigned`);
  }

  /** Everything that anybody can have done at will is done before, or after, this. */
  #inOrder<T>(origin: string, work: () => Promise<T>): Promise<T> {
    const done = (this.#last.get(origin) ?? Promise.resolve()).then(work);
    this.#last.set(
      origin,
      done.catch(() => undefined),
    );
    return done;
  }

  /** The head that it contradicts, where it was not cosigned. */
  async #advance(
    origin: string,
    opened: { readonly text: string; readonly lines: string },
    head: TreeHead,
    { oldSize, proof }: Submission,
  ): Promise<WitnessResponse | CosignedHead> {
    const before = await this.#head(origin);
    if (oldSize !== before.size) {
      return { status: 409, body: `${before.size}\n`, contentType: "text/x.tlog.size" };
    }
    const isEmpty = head.size > 0 || emptyRoot.equals(head.root);
    if (!isEmpty || !isConsistent(before, head, proof)) return before;
    const line = cosign(this.#key, this.#name, opened.text, Math.floor(Date.now() / 1000));
    const note = `${opened.text}\n${opened.lines}${line}`;
    await this.#keep(fileOf(origin), note);
    this.#heads.set(origin, Promise.resolve({ ...head, note }));
    return text(200, line);
  }

  /** The newest head of a log with its cosignature; by SHA-256 of the log's origin, in hex. */
  async newest(originHash: string): Promise<string | undefined> {
    const log = [...this.#logs.keys()].find((origin) => hashOf(origin) === originHash);
    return log === undefined ? undefined : (await this.#head(log)).note;
  }

  #head(origin: string): Promise<CosignedHead> {
    const known = this.#heads.get(origin);
    if (known !== undefined) return known;
    const read = this.#readHead(origin);
    this.#heads.set(origin, read);
    // A file that could not be read is read again for the next one who asks.
    read.catch(() => this.#heads.delete(origin));
    return read;
  }

  async #readHead(origin: string): Promise<CosignedHead> {
    const note = await this.#stored(origin);
    if (note === undefined) return { size: 0, root: emptyRoot, note };
    const head = readHead(note.slice(0, note.lastIndexOf("\n\n") + 1));
    if (head !== undefined) return { ...head, note };
    throw new Error(`${join(this.#folder, fileOf(origin))} holds no checkpoint: find out why`);
  }

  async #stored(origin: string): Promise<string | undefined> {
    try {
      return await readFile(join(this.#folder, fileOf(origin)), "utf8");
    } catch (error) {
      if (hasCode(error, "ENOENT")) return undefined;
      throw error;
    }
  }

  /**
   * The log's own signature on a head that does not follow from the one cosigned, kept for whoever
   * asks: both heads, and the proof that came. The first request with a head is kept, no later one
   * replaces it.
   */
  async #keepEvidence(
    origin: string,
    body: string,
    before: CosignedHead,
    head: TreeHead,
    proof: readonly Buffer[],
  ): Promise<void> {
    const kind: Evidence = beginsOtherwise(before, head, proof) ? "conflict" : "unproven";
    const root = Buffer.from(head.root).toString("hex", 0, 8);
    const file = `${hashOf(origin)}-${head.size}-${root}.${kind}`;
    if (this.#evidence.has(file)) return;
    const ofLog = [...this.#evidence].filter(
      (name) => name.startsWith(hashOf(origin)) && name.endsWith(`.${kind}`),
    );
    if (ofLog.length >= MOST_KEPT[kind]) return;
    this.#evidence.add(file);
    const kept = this.#keeping.then(() => this.#keep(file, `${before.note ?? ""}\n${body}`));
    this.#keeping = kept.catch(() => undefined);
    try {
      await kept;
    } catch (error) {
      this.#evidence.delete(file);
      throw error;
    }
    this.#tell(
      kind === "conflict"
        ? `${origin} signed a tree of ${head.size} leaves that begins with other leaves than the ` +
            `${before.size} this witness cosigned: both are in ${join(this.#folder, file)}`
        : `a request brought a tree of ${head.size} leaves of ${origin}, and no proof that it ` +
            `begins with the ${before.size} leaves cosigned: it is in ${join(this.#folder, file)}`,
    );
  }

  /** If we stop here, the folder holds the file as it was, or the new one, whole. */
  async #keep(name: string, content: string): Promise<void> {
    const path = join(this.#folder, name);
    const file = await open(`${path}.part`, "w", 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(`${path}.part`, path);
    await syncFolder(this.#folder);
  }
}

const hashOf = (origin: string): string => hash("sha256", origin, "hex");
const fileOf = (origin: string): string => `${hashOf(origin)}.checkpoint`;

const text = (status: WitnessResponse["status"], body: string): WitnessResponse => ({
  status,
  body: body.endsWith("\n") ? body : `${body}\n`,
  contentType: "text/plain; charset=utf-8",
});

function readSubmission(body: string): Submission | undefined {
  const end = body.indexOf("\n\n");
  const [first = "", ...lines] = body.slice(0, Math.max(end, 0)).split("\n");
  const [, old] = /^old (0|[1-9][0-9]{0,14})$/.exec(first) ?? [];
  if (old === undefined || lines.length > MOST_PROOF_LINES) return undefined;
  const proof = lines.map(hashIn);
  const hashes = proof.filter((one) => one !== undefined);
  if (hashes.length !== proof.length) return undefined;
  return { oldSize: Number(old), proof: hashes, note: body.slice(end + 2) };
}

/** The size and the root in the text of a checkpoint. */
function readHead(checkpoint: string): TreeHead | undefined {
  const [, size = "", encoded = ""] = checkpoint.split("\n");
  const root = hashIn(encoded);
  if (!/^(0|[1-9][0-9]{0,14})$/.test(size) || root === undefined) return undefined;
  return { size: Number(size), root };
}

function hashIn(line: string): Buffer | undefined {
  const bytes = Buffer.from(line, "base64");
  return bytes.length === HASH_BYTES && bytes.toString("base64") === line ? bytes : undefined;
}
