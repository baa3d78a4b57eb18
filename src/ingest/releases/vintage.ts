// One region's line out of a wide file, without reading the cells of all the others.
// Invariant: what comes out is a file that says of the region what the whole one says.
const NEWLINE = 10;

/** The header and the region's line. The rest is read, too: only its end proves the bytes whole. */
export async function* linesOfRegion(
  source: AsyncIterable<Uint8Array>,
  region: string,
): AsyncGenerator<Uint8Array> {
  const starts = [Buffer.from(`\n${region},`), Buffer.from(`\n"${region}",`)];
  let isHeader = true;
  let isFound = false;
  let rest = Buffer.alloc(0);
  for await (const chunk of source) {
    const bytes = Buffer.concat([rest, chunk]);
    // A line is looked at once it is whole; the newline before the next one is kept for it.
    const end = bytes.lastIndexOf(NEWLINE);
    rest = bytes;
    if (end < 0) continue;
    if (isHeader) yield bytes.subarray(0, bytes.indexOf(NEWLINE) + 1);
    isHeader = false;
    rest = bytes.subarray(end);
    for (const start of isFound ? [] : starts) {
      const at = bytes.indexOf(start);
      if (at < 0 || at >= end) continue;
      isFound = true;
      yield bytes.subarray(at + 1, bytes.indexOf(NEWLINE, at + 1) + 1);
    }
  }
}
