// Why an operator does something, as a field of a body.
// Invariant: a reason that is asked for is never empty.
import { Type } from "typebox";

export const Reason = Type.String({
  minLength: 1,
  maxLength: 500,
  description: "text of 1 to 500 characters",
});
