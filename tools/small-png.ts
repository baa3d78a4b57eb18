// A picture with at most 256 colours: a screenshot takes a third of its bytes, and looks the same.
// Invariant: frequent colours stay as they are, and each other becomes one that is like it.
import { crc32, deflateSync, inflateSync } from "node:zlib";

const SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");
const COLOURS = 256;
const FREQUENT = 128;
/** Beyond this distance a colour is told apart. */
const UNLIKE = 300;

interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Red, green and blue of each pixel as one number, row by row. */
  readonly colours: Uint32Array;
}

/** Takes what Chromium writes: eight bits a channel, not interlaced. */
export function smallPng(png: Buffer): Buffer {
  const { width, height, colours } = pixelsOf(png);
  const palette = paletteOf(colours);
  const nearest = nearestIn(palette);
  const rows = Buffer.alloc(height * (width + 1));
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1)
      rows[y * (width + 1) + 1 + x] = nearest(colours[y * width + x] ?? 0);
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  const entries = Buffer.from(palette.flatMap((one) => [one >> 16, (one >> 8) & 255, one & 255]));
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", head),
    chunk("PLTE", entries),
    chunk("IDAT", deflateSync(rows, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

function pixelsOf(png: Buffer): Pixels {
  const width = png.readUInt32BE(16);
  const height = png.readUInt32BE(20);
  const [depth, kind, , , interlaced] = png.subarray(24, 29);
  if (depth !== 8 || (kind !== 2 && kind !== 6) || interlaced !== 0)
    throw new Error("not a picture as Chromium writes it");
  const packed: Buffer[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at))
    if (png.toString("latin1", at + 4, at + 8) === "IDAT")
      packed.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  const channels = kind === 2 ? 3 : 4;
  const bytes = unfiltered(inflateSync(Buffer.concat(packed)), width * channels, channels);
  const colours = Uint32Array.from({ length: width * height }, (_, pixel) => {
    const at = pixel * channels;
    return ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
  });
  return { width, height, colours };
}

/** Each row says how its bytes were foretold from those to the left and above. */
function unfiltered(rows: Buffer, length: number, channels: number): Uint8Array {
  const height = rows.length / (length + 1);
  const bytes = new Uint8Array(height * length);
  for (let y = 0; y < height; y += 1) {
    const filter = rows[y * (length + 1)];
    for (let x = 0; x < length; x += 1) {
      const at = y * length + x;
      const left = x < channels ? 0 : (bytes[at - channels] ?? 0);
      const up = y === 0 ? 0 : (bytes[at - length] ?? 0);
      const corner = x < channels || y === 0 ? 0 : (bytes[at - length - channels] ?? 0);
      const foretold = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter ?? 0] ?? 0;
      bytes[at] = (rows[y * (length + 1) + 1 + x] ?? 0) + foretold;
    }
  }
  return bytes;
}

function paeth(left: number, up: number, corner: number): number {
  const [a, b, c] = [left, up, corner].map((one) => Math.abs(left + up - corner - one));
  if (a === undefined || b === undefined || c === undefined) return 0;
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}

function paletteOf(colours: Uint32Array): readonly number[] {
  const counts = new Map<number, number>();
  for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const all = [...counts].toSorted(([, one], [, other]) => other - one).map(([colour]) => colour);
  const palette = all.slice(0, FREQUENT);
  // A small swatch of its own colour has few pixels.
  for (const colour of all.slice(FREQUENT)) {
    if (palette.length === COLOURS) break;
    if (palette.every((one) => distance(one, colour) > UNLIKE)) palette.push(colour);
  }
  return palette;
}

function nearestIn(palette: readonly number[]): (colour: number) => number {
  const known = new Map(palette.map((colour, at) => [colour, at]));
  return (colour) => {
    const found = known.get(colour);
    if (found !== undefined) return found;
    let [best, least] = [0, Number.POSITIVE_INFINITY];
    for (const [at, one] of palette.entries()) {
      const far = distance(one, colour);
      if (far < least) [best, least] = [at, far];
    }
    known.set(colour, best);
    return best;
  };
}

function distance(one: number, other: number): number {
  const channel = (shift: number): number => ((one >> shift) & 255) - ((other >> shift) & 255);
  return channel(16) ** 2 + channel(8) ** 2 + channel(0) ** 2;
}
