// Server-sent events from the bytes of an answer.
// Invariant: an event is handed on when the blank line after it is here, never half of it.

interface ServerSent {
  readonly event: string;
  /** Of the stream so far, also where this event brought none of its own. */
  readonly lastId: string | undefined;
  readonly data: string;
}

export async function* serverSent(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<ServerSent> {
  const decoder = new TextDecoder();
  let lastId: string | undefined;
  let rest = "";
  for await (const chunk of bytes) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const fields = new Map(block.split("\n").map(fieldOf));
      lastId = fields.get("id") ?? lastId;
      const data = fields.get("data");
      if (data !== undefined) yield { event: fields.get("event") ?? "message", lastId, data };
    }
  }
}

function fieldOf(line: string): readonly [string, string] {
  const cut = line.indexOf(":");
  return [line.slice(0, cut), line.slice(cut + 1).replace(/^ /, "")];
}
