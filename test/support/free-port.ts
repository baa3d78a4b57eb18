// A port of this machine that nothing listens on when it is asked for.
// Invariant: two that are asked for at once may be the same; nobody keeps it.
import assert from "node:assert/strict";
import { createServer } from "node:net";

export async function freePort(): Promise<number> {
  const listener = createServer();
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const address = listener.address();
  await new Promise((resolve) => listener.close(resolve));
  return typeof address === "object" && address !== null ? address.port : assert.fail("no port");
}
