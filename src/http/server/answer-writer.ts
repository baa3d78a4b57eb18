// The one place where a good answer gets its headers of keeping and coding, and goes out.
// Invariant: only what everybody is shown may be kept or has a tag; what repeats a caller's words
// beside anything that another wrote is never compressed (decision 69).
import type { Readable } from "node:stream";
import type { Caller, Route, Surface } from "../route/route.ts";
import { atOnce } from "./at-once.ts";
import { CodedBodies, type Coding, codedStream, codingAsked, isCodable } from "./content-coding.ts";
import { isHeld, tagOf } from "./entity-tag.ts";
import type { HttpReply } from "./http-reply.ts";
import { MIN_SEQUENCE_HEADER } from "./min-sequence.ts";
import { limitReading } from "./reader-watch.ts";

/** The request's share in how its answer goes out. */
export interface AnswerContext {
  readonly route: Route;
  readonly caller: Caller;
  readonly reply: HttpReply;
  /** Every value of a request header, by its lower-case name. */
  header(name: string): readonly string[];
}

export interface WholeAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  /** Of its bytes where left out. */
  readonly tag?: string | undefined;
}

/** WrittenData as its pieces come. */
interface StreamedAnswer {
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly pieces: Readable;
  readonly tag: string | undefined;
}

/**
 * `everybody` is shown the same. `asker`: a trader reads what is its own, or anybody asks for
 * something. `guarded`: commands, whose answers repeat their bodies; operators and auditors, who
 * read what others wrote.
 */
type Audience = "everybody" | "asker" | "guarded";

function audienceOf({ route, caller }: AnswerContext): Audience {
  const { access, surface, method } = route;
  const isRead = method === "GET";
  if (surface === "bare") return "guarded";
  if (access === "public") return isRead ? "everybody" : "asker";
  const isTrader = caller.type === "key" && caller.account.role === "trader";
  return isRead && isTrader && surface === "trading" ? "asker" : "guarded";
}

/** Anybody may keep a public answer, and asks with its tag whether it still holds. */
function keeping(audience: Audience, surface: Surface): Readonly<Record<string, string>> {
  if (audience !== "everybody") return { "cache-control": "private, no-store" };
  // A cache must not give an answer from before a sequence to a request that names it; a file is
  // of no sequence.
  const vary = surface === "page" ? "accept-encoding" : `accept-encoding, ${MIN_SEQUENCE_HEADER}`;
  return { "cache-control": "public, no-cache", vary };
}

/** In bytes: below it, a coding saves less than it costs. */
const SHORTEST_CODED = 1_024;

export class AnswerWriter {
  readonly #bodies = new CodedBodies();

  /** Without a coding it is sent at once: no command waits for it. */
  send(context: AnswerContext, answer: WholeAnswer): HttpReply | Promise<HttpReply> {
    const { reply } = context;
    const { status, contentType, headers, body } = answer;
    const audience = audienceOf(context);
    reply.code(status).headers({ ...keeping(audience, context.route.surface), ...headers });
    const isKept = audience === "everybody" && status === 200;
    const tag = isKept ? (answer.tag ?? tagOf(body)) : undefined;
    if (tag !== undefined) {
      reply.header("etag", tag);
      if (isHeld(context.header("if-none-match"), tag)) return reply.code(304).send();
    }
    reply.header("content-type", contentType);
    const isToCode = isLong(body) && isCodable(contentType) && !("content-encoding" in headers);
    const coding = isToCode ? codingOf(context) : "identity";
    return coding === "identity" ? put(reply, body) : this.#code(reply, coding, body, tag);
  }

  /** The answer to a reader that has what the tag names; undefined: it has to be made. */
  held(
    context: AnswerContext,
    { headers, tag }: Pick<StreamedAnswer, "headers" | "tag">,
  ): HttpReply | undefined {
    if (tag === undefined || !isHeld(context.header("if-none-match"), tag)) return undefined;
    const { reply, route } = context;
    const kept = keeping(audienceOf(context), route.surface);
    reply.code(304).headers({ ...kept, ...headers, etag: tag });
    return reply.send();
  }

  /** Of an answer that is made while it is read. */
  stream(context: AnswerContext, answer: StreamedAnswer): HttpReply {
    const { contentType, headers, pieces, tag } = answer;
    const audience = audienceOf(context);
    const reply = context.reply
      .code(200)
      .headers({ ...keeping(audience, context.route.surface), ...headers });
    if (tag !== undefined) reply.header("etag", tag);
    limitReading(reply.raw, undefined);
    reply.header("content-type", contentType);
    const coding = isCodable(contentType) ? codingOf(context) : "identity";
    if (coding === "identity") return reply.send(pieces);
    return reply.header("content-encoding", coding).send(codedStream(coding, pieces));
  }

  #code(
    reply: HttpReply,
    coding: Coding,
    body: string | Uint8Array,
    tag: string | undefined,
  ): HttpReply | Promise<HttpReply> {
    const bytes = () => (typeof body === "string" ? Buffer.from(body, "utf8") : body);
    return atOnce(this.#bodies.coded(coding, bytes, tag), (coded) =>
      coded === undefined ? put(reply, body) : put(reply.header("content-encoding", coding), coded),
    );
  }
}

const isLong = ({ length }: string | Uint8Array): boolean => length >= SHORTEST_CODED;

const codingOf = (context: AnswerContext): Coding =>
  audienceOf(context) === "guarded" ? "identity" : codingAsked(context.header("accept-encoding"));

function put(reply: HttpReply, body: string | Uint8Array): HttpReply {
  limitReading(reply.raw, body.length);
  return reply.send(body);
}
