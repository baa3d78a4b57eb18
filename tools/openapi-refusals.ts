// Refusals as schemas: what `writeProblem` writes, in both forms.
// Invariant: a refusal that does not match is our mistake; the tests judge every one by these.
import { Type } from "typebox";
import { errorTable } from "#http/route/errors.ts";

const Code = Type.Enum(Object.keys(errorTable).sort());

const particulars = {
  field: Type.Optional(Type.String()),
  details: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  errors: Type.Optional(Type.Array(Type.Object({ field: Type.String(), message: Type.String() }))),
  retryable: Type.Boolean({ description: "the same request may succeed later" }),
  outcome: Type.Enum(["not_applied", "unknown"]),
  requestId: Type.String(),
};

export const ErrorAnswer = Type.Object(
  {
    success: Type.Literal(false),
    error: Type.Object({ code: Code, message: Type.String(), ...particulars }),
    code: Code,
    message: Type.String(),
  },
  { title: "ErrorAnswer" },
);

/** RFC 9457, for `Accept: application/problem+json`. */
export const ProblemAnswer = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    code: Code,
    ...particulars,
  },
  { title: "Problem" },
);
