// firstprint listen: an account's own events posted to an address on this machine, signed as a
// webhook is.
// Invariant: what is posted is what the exchange would send, one entry after the other.
import { randomBytes } from "node:crypto";
import { at, items } from "./answer.ts";
import type { CliCommand } from "./command.ts";
import { UsageFault } from "./faults.ts";
import { followed } from "./followed.ts";
import { plain } from "./table.ts";

type Signature = typeof import("#webhooks/signature.ts");

const PATIENCE_MILLIS = 15_000;

const listen: CliCommand = {
  words: "listen",
  about: "Post the account's own events to an address here, signed as a webhook is",
  options: {
    "forward-to": { value: "address", required: true, about: "where each entry is posted" },
    secret: { value: "whsec", about: "sign with this one; a new one is shown when left out" },
    types: {
      value: "types",
      about: "some of order, fill, cash, position, account and alert, with commas",
    },
    after: { value: "entry", about: "begin after this entry, 0 for all; now when left out" },
    entries: { value: "number", about: "end after so many entries" },
  },
  example: "listen --forward-to http://localhost:3000/hook --types fill,cash",
  needs: "key",
  run: async ({ args, exchange, screen }) => {
    const target = addressOf(args.option("forward-to") ?? "");
    const signature = await import("#webhooks/signature.ts");
    const { shown, secret } = secretOf(signature, args.option("secret"));
    screen.note(`Signing with ${shown}`);
    const filter = args.given("types");
    const open = (after: number | undefined) =>
      exchange.stream("/api/trading/stream", { ...filter, lastEventId: after });
    for await (const { sequence, text, entry } of followed(open, args, screen)) {
      const sent = { sequence, text, time: entry.time };
      const answered = await forward(signature, target, secret, sent);
      const types = items(at(entry, "events")).map((event) => plain(at(event, "type")));
      screen.print(`${sequence}  ${[...new Set(types)].join(",")}  ${answered}`);
    }
    return undefined;
  },
};

function addressOf(text: string): string {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return url.href;
  throw new UsageFault("--forward-to must be an address such as http://localhost:3000/hook");
}

function secretOf({ secretShown }: Signature, given: string | undefined) {
  if (given === undefined) {
    const secret = randomBytes(32);
    return { secret, shown: secretShown(secret) };
  }
  const key = /^whsec_([A-Za-z0-9+/]+=*)$/.exec(given)?.[1];
  if (key === undefined) throw new UsageFault("--secret must be whsec_ and a key in base64");
  return { secret: Buffer.from(key, "base64"), shown: "the secret you gave" };
}

/** The status that was answered, or why there was none; an entry is posted once. */
async function forward(
  { messageBody, signedHeaders }: Signature,
  target: string,
  secret: Uint8Array,
  sent: { readonly sequence: number; readonly text: string; readonly time: string },
): Promise<string> {
  const body = messageBody("own", Date.parse(sent.time), Buffer.from(sent.text));
  const atSeconds = Math.floor(Date.now() / 1000);
  const headers = {
    "content-type": "application/json",
    "user-agent": "firstprint-webhook",
    ...signedHeaders([secret], { id: `msg_listen_${sent.sequence}`, atSeconds, body }),
  };
  const signal = AbortSignal.timeout(PATIENCE_MILLIS);
  const asked = { method: "POST", redirect: "manual", headers, body, signal } as const;
  try {
    const answer = await fetch(target, asked);
    await answer.body?.cancel();
    return String(answer.status);
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return `not delivered: ${cause instanceof Error ? cause.message || cause.name : String(cause)}`;
  }
}

export const listenCommands: readonly CliCommand[] = [listen];
