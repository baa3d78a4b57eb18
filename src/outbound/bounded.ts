// The answer of a server that we asked, read as far as an honest one goes.
// Invariant: no more than the bound is held, whatever the other side goes on to send.

export class AnswerTooLarge extends Error {
  constructor(mostBytes: number) {
    super(`it answers with more than ${mostBytes} bytes`);
  }
}

/** @throws AnswerTooLarge at the first byte beyond `mostBytes`; the rest is then not read. */
export async function* upTo(
  mostBytes: number,
  body: AsyncIterable<Uint8Array> | null,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw new AnswerTooLarge(mostBytes);
    yield chunk;
  }
}

export async function textUpTo(mostBytes: number, { body }: Response): Promise<string> {
  return Buffer.concat(await Array.fromAsync(upTo(mostBytes, body))).toString();
}
