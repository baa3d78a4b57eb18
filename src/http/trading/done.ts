// The answer of a request that has nothing to show but that it was done.
// Invariant: it is sent only after the deed is durable.
import { Type } from "typebox";

export const Done = Type.Object({ success: Type.Boolean() });

export const done = { data: { success: true } };
