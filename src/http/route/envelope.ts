// Envelopes: the one place that decides how an answer and a refusal look on each surface.
// Invariant: a body is a function of what it says and its requestId, so a replay is byte-identical.
import { errorTable, type Problem } from "./errors.ts";
import type { Surface } from "./route.ts";
import type { ErrorRule } from "./settlement-errors.ts";

export const jsonType = "application/json; charset=utf-8";
const problemType = "application/problem+json; charset=utf-8";

export const writeData = (surface: Surface, data: unknown, siblings: object = {}): string =>
  JSON.stringify(wrapped(surface, data, siblings));

function wrapped(surface: Surface, data: unknown, siblings: object): unknown {
  switch (surface) {
    case "trading":
      return { data, ...siblings };
    case "bare":
    case "page":
    case "events":
      return data;
    case "public":
    case "admin":
      return { success: true, data, ...siblings };
  }
}

/** The text before and after a streamed array. */
export const streamFrame = (surface: Surface): readonly [string, string] => {
  switch (surface) {
    case "trading":
      return ['{"data":[', "]}"];
    case "bare":
    case "page":
    case "events":
      return ["[", "]"];
    case "public":
    case "admin":
      return ['{"success":true,"data":[', "]}"];
  }
};

/** Both forms of a refusal; `asProblem` is the caller's wish for RFC 9457. */
export function writeProblem(problem: Problem, requestId: string, asProblem: boolean) {
  const rule: ErrorRule = errorTable[problem.code];
  const body = asProblem
    ? problemBody(problem, rule, requestId)
    : errorBody(problem, rule, requestId);
  return {
    status: rule.status,
    contentType: asProblem ? problemType : jsonType,
    headers: problemHeaders(problem, rule),
    body: JSON.stringify(body),
  };
}

function errorBody(problem: Problem, rule: ErrorRule, requestId: string): unknown {
  const { code, message = rule.message } = problem;
  const error = { code, message, ...particulars(problem, rule), requestId };
  return { success: false, error, code, message };
}

function problemBody(problem: Problem, rule: ErrorRule, requestId: string): unknown {
  const { code, message = rule.message } = problem;
  return {
    type: `urn:firstprint:error:${code}`,
    title: rule.message,
    status: rule.status,
    detail: message,
    code,
    ...particulars(problem, rule),
    requestId,
  };
}

const particulars = ({ field, details, errors }: Problem, rule: ErrorRule) => ({
  ...(field === undefined ? {} : { field }),
  ...(details === undefined ? {} : { details }),
  ...(errors === undefined ? {} : { errors }),
  retryable: rule.retryable ?? false,
  outcome: rule.outcome ?? "not_applied",
});

function problemHeaders(problem: Problem, rule: ErrorRule): Record<string, string> {
  const wait = problem.retryAfterSeconds ?? rule.retryAfterSeconds;
  return {
    ...(problem.allow === undefined ? {} : { allow: problem.allow }),
    ...(wait === undefined ? {} : { "retry-after": String(wait) }),
    ...(rule.status === 408 ? { connection: "close" } : {}),
    ...(rule.status === 401 ? { "www-authenticate": "Bearer" } : {}),
  };
}
