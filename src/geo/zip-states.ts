// The state of a zip that no hierarchy has, by its first three digits.
// Invariant: three digits are told as one state's or as none's of the 51 (territories, the armed
// forces). Of 33,103 zips of a public list 56 lie across the border from others of their three.
import { type NodeId, nodeId } from "#base/ids.ts";

/** Each state holds the three digits from its own up to the next, as the Postal Service deals them. */
const firstOfEach =
  "000-- 005NY 006-- 010MA 028RI 030NH 039ME 050VT 060CT 070NJ 090-- 100NY 150PA 197DE 200DC 201VA " +
  "202DC 206MD 220VA 247WV 270NC 290SC 300GA 320FL 340-- 341FL 350AL 370TN 386MS 398GA 400KY " +
  "430OH 460IN 480MI 500IA 530WI 550MN 569DC 570SD 580ND 590MT 600IL 630MO 660KS 680NE 700LA " +
  "716AR 730OK 733TX 734OK 750TX 800CO 820WY 832ID 840UT 850AZ 870NM 885TX 889NV 900CA 962-- " +
  "967HI 969-- 970OR 980WA 995AK";

const ranges = firstOfEach
  .split(" ")
  .map((cell) => ({ from: Number(cell.slice(0, 3)), code: cell.slice(3) }));

export function stateOfZip(zip: string): NodeId | undefined {
  const digits = Number(zip.slice(0, 3));
  const code = ranges.findLast(({ from }) => from <= digits)?.code;
  return code === undefined || code === "--" ? undefined : nodeId(`state:${code}`);
}
