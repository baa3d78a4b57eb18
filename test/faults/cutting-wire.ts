// A TCP wire between an engine and PostgreSQL, cut at one byte of one protocol message.
// Invariant: up to the cut every byte passes unchanged and in order, after it none in a way cut.
import { once } from "node:events";
import { connect, createServer, type NetConnectOpts, type Server, type Socket } from "node:net";

export const ways = ["to server", "to client"] as const;
type Way = (typeof ways)[number];

export const places = ["before", "within", "after"] as const;
type Place = (typeof places)[number];

/** `silence`: this way swallows everything from here on; the other way and both ends live on. */
export const endings = ["FIN", "RST", "silence"] as const;
type Ending = (typeof endings)[number];

export interface Cut {
  readonly way: Way;
  readonly place: Place;
  readonly ending: Ending;
  /**
   * A message of the so-manyth append, by its letter; or the so-manyth message of that way,
   * whatever it belongs to. Both are counted from 1.
   */
  readonly at: { readonly letter: string; readonly append: number } | { readonly message: number };
  /** Of the bytes of the message, where it is cut within: from 0 to 1, without both. */
  readonly share: number;
}

/** The driver's messages for an append, and the server's answers. */
export const appendLetters: Readonly<Record<Way, readonly string[]>> = {
  "to server": ["P", "B", "D", "E", "S"],
  "to client": ["1", "2", "n", "C", "Z"],
};

/** The wire's record of the append that it cut. */
interface Struck {
  readonly cut: Cut;
  /** The server had all of it: the statement commits at its last message, Sync. */
  readonly isSyncThrough: boolean;
}

export class CuttingWire {
  readonly #server: Server;
  readonly #passages = new Set<Passage>();
  #plan: Cut[] = [];
  #messages = 0;
  #appends = 0;
  readonly struck: Struck[] = [];

  private constructor(target: NetConnectOpts) {
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
      const server = connect({ ...target, allowHalfOpen: true, noDelay: true });
      const passage = new Passage(client, server, (way, message, isAppend) =>
        this.#strikes(way, message, isAppend),
      );
      this.#passages.add(passage);
      passage.whenOver(() => this.#passages.delete(passage));
    });
  }

  static async open(target: NetConnectOpts): Promise<CuttingWire> {
    const wire = new CuttingWire(target);
    wire.#server.listen(0, "127.0.0.1");
    await once(wire.#server, "listening");
    return wire;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }

  /** One cut after another; messages are counted from the cut before, appends from now. */
  plan(...cuts: readonly Cut[]): void {
    this.#plan = [...cuts];
    this.#messages = 0;
    this.#appends = 0;
    this.struck.length = 0;
  }

  /** Ends every connection there is now, so that the next append is sent as a new statement. */
  cutAll(): void {
    for (const passage of this.#passages) passage.reset();
  }

  /** Ends what only pretends to be a connection; returns how many there were. */
  cutSilent(): number {
    const silent = [...this.#passages].filter(({ isSilent }) => isSilent);
    for (const passage of silent) passage.reset();
    return silent.length;
  }

  close(): void {
    this.cutAll();
    this.#server.close();
  }

  /** The cut that this message is to meet, if any. */
  #strikes(way: Way, letter: string, append: AppendSeen): Cut | undefined {
    if (append.isBegun) this.#appends += 1;
    const [cut] = this.#plan;
    if (cut === undefined || cut.way !== way) return undefined;
    if ("letter" in cut.at) {
      if (!append.isUnderWay || letter !== cut.at.letter) return undefined;
      if (this.#appends < cut.at.append) return undefined;
    } else {
      this.#messages += 1;
      if (this.#messages < cut.at.message) return undefined;
    }
    this.#plan.shift();
    this.#messages = 0;
    const isSync = way === "to server" && letter === "S" && cut.place === "after";
    this.struck.push({ cut, isSyncThrough: append.isSyncThrough || isSync });
    return cut;
  }
}

interface AppendSeen {
  /** By this message. */
  readonly isBegun: boolean;
  readonly isUnderWay: boolean;
  readonly isSyncThrough: boolean;
}

type Strikes = (way: Way, letter: string, append: AppendSeen) => Cut | undefined;

/** Names in `Parse` (the statement first) and in `Bind` (after the unnamed portal). */
const appendNames = { P: Buffer.from("append\0"), B: Buffer.from("\0append\0") } as const;
const HEADER_BYTES = 5;

/** One connection through the wire. */
class Passage {
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #strikes: Strikes;
  readonly #silent = new Set<Way>();
  #isOver = false;
  #isUnderWay = false;
  #isSyncThrough = false;

  constructor(client: Socket, server: Socket, strikes: Strikes) {
    this.#client = client;
    this.#server = server;
    this.#strikes = strikes;
    this.#carry("to server", client, server, new Messages(false));
    this.#carry("to client", server, client, new Messages(true));
  }

  get isSilent(): boolean {
    return this.#silent.size > 0;
  }

  whenOver(told: () => void): void {
    this.#client.once("close", () => {
      if (this.#server.closed) told();
    });
    this.#server.once("close", () => {
      if (this.#client.closed) told();
    });
  }

  reset(): void {
    this.#isOver = true;
    this.#client.resetAndDestroy();
    // A socket that is a file knows no reset.
    if (this.#server.remoteFamily === undefined) this.#server.destroy();
    else this.#server.resetAndDestroy();
  }

  #carry(way: Way, from: Socket, to: Socket, messages: Messages): void {
    from.on("data", (bytes: Buffer) => {
      // Messages that came together go on together: each by itself would be a system call.
      to.cork();
      for (const message of messages.take(bytes)) this.#pass(way, to, message);
      to.uncork();
    });
    // A peer that vanished without a word tells the other end nothing.
    const ended = (): void => {
      if (this.#silent.size === 0) to.end();
      else from.destroy();
    };
    from.on("end", ended);
    from.on("error", () => undefined);
    from.on("close", () => {
      if (this.#silent.size === 0) to.destroy();
    });
  }

  #pass(way: Way, to: Socket, message: Message): void {
    if (this.#isOver || this.#silent.has(way)) return;
    const { letter, bytes } = message;
    const isBegun = way === "to server" && isAppend(message) && !this.#isUnderWay;
    if (isBegun) {
      this.#isUnderWay = true;
      this.#isSyncThrough = false;
    }
    const append = { isBegun, isUnderWay: this.#isUnderWay, isSyncThrough: this.#isSyncThrough };
    const cut = this.#strikes(way, letter, append);
    if (cut === undefined) to.write(bytes);
    else this.#cut(way, to, bytes, cut);
    if (!this.#isUnderWay) return;
    if (way === "to server" && letter === "S") this.#isSyncThrough = true;
    if (way === "to client" && letter === "Z") this.#isUnderWay = false;
  }

  #cut(way: Way, to: Socket, bytes: Buffer, { place, ending, share }: Cut): void {
    if (place === "after") to.write(bytes);
    if (place === "within") {
      const length = 1 + Math.floor(share * (bytes.length - 1));
      to.write(bytes.subarray(0, length));
    }
    // A reset drops what waits here, and the peer is to have all before the cut.
    to.uncork();
    switch (ending) {
      case "silence":
        this.#silent.add(way);
        break;
      case "RST":
        this.reset();
        break;
      case "FIN":
        this.#isOver = true;
        this.#client.end();
        this.#server.end();
    }
  }
}

const isAppend = ({ letter, bytes }: Message): boolean => {
  if (letter !== "P" && letter !== "B") return false;
  const name = appendNames[letter];
  return bytes.subarray(HEADER_BYTES, HEADER_BYTES + name.length).equals(name);
};

interface Message {
  /** The protocol's type byte; empty for the first message of a client, which has none. */
  readonly letter: string;
  readonly bytes: Buffer;
}

/** Puts the bytes of one way together to whole messages. */
class Messages {
  #rest = Buffer.alloc(0);
  #hasLetter: boolean;

  constructor(hasLetter: boolean) {
    this.#hasLetter = hasLetter;
  }

  *take(bytes: Buffer): Generator<Message> {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    for (;;) {
      const before = this.#hasLetter ? 1 : 0;
      if (this.#rest.length < before + 4) return;
      const length = before + this.#rest.readInt32BE(before);
      if (this.#rest.length < length) return;
      const message = this.#rest.subarray(0, length);
      this.#rest = this.#rest.subarray(length);
      const letter = this.#hasLetter ? message.toString("latin1", 0, 1) : "";
      this.#hasLetter = true;
      yield { letter, bytes: message };
    }
  }
}
