// The bytes that an exchange sends on the stream, and the entries that are to be read from them.
import type { TestContext } from "node:test";
import type { StreamMessage } from "#sdk/stream.ts";

export const encoder = new TextEncoder();

export const beat = (sequence: number, head = sequence): string =>
  `id: ${sequence}\nevent: heartbeat\ndata: ${JSON.stringify({ sequence, head })}\n\n`;

export const entry = (sequence: number): string => {
  // Of two, three and four bytes: a cut may fall into a character.
  const events = [{ type: "halt", halted: true, reason: `café ${sequence} – 🏠` }];
  const time = "2024-11-20T00:00:00.000Z";
  return `id: ${sequence}\nevent: entry\ndata: ${JSON.stringify({ sequence, time, events })}\n\n`;
};

const entries = [3, 4, 9];

/** Sent to a reader that has read up to `after`. */
export const transcript = (after: number): Uint8Array =>
  encoder.encode(
    [
      "retry: 1000\n\n",
      beat(after, 9),
      ...entries.filter((sequence) => sequence > after).map(entry),
      beat(9),
    ].join(""),
  );

export async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Reads until the heartbeat of entry 9; each entry's number and its text. */
export async function readAll(messages: AsyncIterable<StreamMessage>) {
  const read: { sequence: number; text: string }[] = [];
  for await (const message of messages) {
    if (message.kind === "entry") read.push({ sequence: message.sequence, text: message.text });
    else if (message.sequence === 9) break;
  }
  return read;
}

/** Lets each wait pass at once. */
export function withoutWaiting(t: TestContext): () => void {
  t.mock.timers.reset();
  t.mock.timers.enable({ apis: ["setTimeout"] });
  return () => setImmediate(() => t.mock.timers.tick(20_000));
}

export const whole = entries.map((sequence) => ({
  sequence,
  text: entry(sequence).split("data: ")[1]?.trimEnd() ?? "",
}));
