// The contract of the surface, held against every answer: its schema, closed, or a known refusal.
// Invariant: an answer with a member its schema does not name is as wrong as one that lacks one.
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { errorTable } from "#http/route/errors.ts";
import type { Route } from "#http/route/route.ts";
import { at } from "#test/support/exchange.ts";
import { codesOf } from "../../tools/openapi-codes.ts";
import { answerType, openapiDocument, placeOf } from "../../tools/openapi-document.ts";
import { ErrorAnswer, ProblemAnswer } from "../../tools/openapi-refusals.ts";

type Json = unknown;
type Check = (value: unknown) => readonly string[];

export class Contract {
  /** The faults found, a line an answer. */
  readonly breaches: string[] = [];
  readonly #routes: ReadonlyMap<string, Route>;
  /** Of the routes that have answered, by their places. */
  readonly #texts = new Map<string, string>();
  readonly #error = checkOf(ErrorAnswer);
  readonly #problem = checkOf(ProblemAnswer);

  constructor(routes: readonly Route[]) {
    this.#routes = new Map(routes.map((route) => [placeOf(route), route]));
  }

  /** Watches every answer of a server that is not ready yet. */
  watch(server: FastifyInstance): void {
    server.addHook("onSend", async (request, reply, payload) => {
      if (typeof payload === "string") this.#judgeSent(request, reply, payload);
      return payload;
    });
  }

  #judgeSent(request: FastifyRequest, reply: FastifyReply, payload: string): void {
    const method = request.method === "HEAD" ? "GET" : request.method;
    const place = `${method} ${request.routeOptions.url ?? ""}`;
    const type = String(reply.getHeader("content-type"));
    if (!/^application\/(problem\+)?json/.test(type)) return;
    const isProblem = type.startsWith("application/problem");
    this.judge(place, reply.statusCode, JSON.parse(payload), isProblem);
  }

  judge(place: string, status: number, body: Json, isProblem = false): void {
    const route = this.#routes.get(place);
    const say = (message: string): void => {
      this.breaches.push(`${place} ${status}: ${message} in ${JSON.stringify(body)}`);
    };
    if (status === 200 || route?.otherStatuses.includes(status) === true) {
      const faults = route === undefined ? ["an answer of no route"] : this.#answerOf(route)(body);
      for (const fault of faults) say(fault);
      return;
    }
    for (const fault of (isProblem ? this.#problem : this.#error)(body)) say(fault);
    const code = at(body, "code");
    const known = route === undefined ? Object.keys(errorTable) : codesOf(route);
    const rule = Object.entries(errorTable).find(([name]) => name === code)?.[1];
    if (!known.some((one) => one === code)) say(`${String(code)} is not declared`);
    if (rule?.status !== status) say(`${String(code)} has another status`);
  }

  #answerOf(route: Route): Check {
    const place = placeOf(route);
    const text = this.#texts.get(place) ?? JSON.stringify(route);
    this.#texts.set(place, text);
    const check = answers.get(text) ?? checkOf(documentedAnswer(route));
    answers.set(text, check);
    return check;
  }
}

/** By the text of their routes: the servers of a hundred tests have the same ones. */
const answers = new Map<string, Check>();

/** The schema of a 200 as the reference shows it, references and all. */
function documentedAnswer(route: Route): object {
  const document = openapiDocument([route], "0", new Map());
  const path = route.url.replaceAll(/:([A-Za-z]+)/g, "{$1}");
  const content = at(document, "paths", path, route.method.toLowerCase(), "responses", "200");
  const schema = at(content, "content", answerType(route), "schema");
  const resolved = resolve(schema, document);
  return typeof resolved === "object" && resolved !== null ? resolved : {};
}

/** Puts what a reference names in its place. */
export function resolve(schema: Json, document: Json): Json {
  if (Array.isArray(schema)) return schema.map((item) => resolve(item, document));
  if (typeof schema !== "object" || schema === null) return schema;
  const reference = at(schema, "$ref");
  if (typeof reference === "string") {
    return resolve(at(document, ...reference.slice(2).split("/")), document);
  }
  return Object.fromEntries(
    Object.entries(schema).map(([name, member]) => [name, resolve(member, document)]),
  );
}

/** Objects with named members take no others. */
function closedThroughout(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(closedThroughout);
  if (typeof schema !== "object" || schema === null) return schema;
  const inner = Object.fromEntries(
    Object.entries(schema).map(([name, member]) => [name, closedThroughout(member)]),
  );
  const named = at(schema, "type") === "object" && typeof at(schema, "properties") === "object";
  return named ? { ...inner, additionalProperties: false } : inner;
}

/** By the text of their schemas: the servers of a hundred tests have the same routes. */
const checks = new Map<string, Check>();

export function checkOf(schema: object): Check {
  const text = JSON.stringify(schema);
  const known = checks.get(text);
  if (known !== undefined) return known;
  const copy: TSchema = Object(closedThroughout(JSON.parse(text)));
  const validator = Compile(copy);
  const check: Check = (value) =>
    validator.Check(value)
      ? []
      : [...validator.Errors(value)].map(
          ({ instancePath, message, params }) =>
            `${instancePath} ${message} ${JSON.stringify(params)}`,
        );
  checks.set(text, check);
  return check;
}
