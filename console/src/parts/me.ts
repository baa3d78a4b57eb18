// The account whose key the tab holds.
// Invariant: it is forgotten with the key.
import { answered } from "@firstprint/sdk";
import { Question, useReading } from "../query.ts";
import { exchange, isSignedIn } from "../session.ts";

const me = new Question(
  async () => (await answered(exchange.value.GET("/api/trading/account"))).data,
  { isPrivate: true },
);

/** Undefined without a key, and until the exchange has said whose it is. */
export function useMe() {
  const reading = useReading(me, isSignedIn.value ? [] : undefined);
  return reading.state === "ready" ? reading.data : undefined;
}
