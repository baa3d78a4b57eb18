// Containers that a file may be in, told by its first bytes and by no name.
// Invariant: text is none; a file that is refused for one is called what it is.

const containers: readonly (readonly [magic: string, name: string])[] = [
  ["1f8b", "compressed with gzip"],
  ["504b0304", "a zip archive, as workbooks (.xlsx) are"],
  ["504b0506", "an empty zip archive"],
  ["d0cf11e0a1b11ae1", "an old workbook (.xls)"],
  ["28b52ffd", "compressed with Zstandard"],
  ["425a68", "compressed with bzip2"],
  ["fd377a585a00", "compressed with xz"],
  ["377abcaf271c", "a 7z archive"],
  ["25504446", "a PDF document"],
  ["fffe", "text in UTF-16"],
  ["feff", "text in UTF-16"],
];

/** As many tell what a file is. */
export const MOST_MAGIC_BYTES = 8;

/** The name of it, where a file that begins so is no plain text: `a PDF document`. */
export function containerOf(start: Uint8Array): string | undefined {
  const hex = Buffer.from(start.subarray(0, MOST_MAGIC_BYTES)).toString("hex");
  return containers.find(([magic]) => hex.startsWith(magic))?.[1];
}
