// The price of commitments and the tree for an order: this checkout beside a copy without them.
// Invariant: the two run at the same time and are asked by the same client, by turns; the copy
// stores each entry as version 2 did, one text and one hash, and all else is the same.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { processorSeconds } from "#test/e2e/process-facts.ts";
import { checkout, copyCheckout } from "../tools/checkout-copy.ts";
import { digits, type Figure, quantile, type Scope, times } from "./figure.ts";
import { LoadClient } from "./http-load.ts";

const CLIENTS = [1, 16, 64];
const PAIRS = 8;
const TURN_MILLIS = 1_000;
/** Until most of what an order runs through is compiled: a node serves for days. */
const WARM_MILLIS = 8_000;

const without: readonly (readonly [file: string, source: string, replacement: string])[] = [
  [
    "src/core/entry-bytes.ts",
    "  const { open, closed } = partsOf(entry);",
    "  const whole = toBytes.encode(encode({ version: 2, ...entry }));\n" +
      "  const sections = { open: whole, salt: undefined, closed: [] };\n" +
      "  if (entry) return { bytes: whole, sections };\n" +
      "  const { open, closed } = partsOf(entry);",
  ],
  ["src/journal/seal.ts", "salt = drawSalt()", 'salt = ""'],
  ["src/journal/seal.ts", "commitmentTo(sections)", "bytes"],
  ["src/engine/sequencer.ts", "    this.#log?.take(entry.sequence, hash);\n", ""],
  ["src/engine/checkpointer.ts", "    await log.sign(lead, head.size);\n", ""],
];

interface Side {
  readonly pid: number;
  readonly port: number;
  readonly requests: readonly string[];
}

interface Turn {
  readonly perSecond: number;
  /** Of processor time; the exchange alone, without its database. */
  readonly seconds: number;
}

export async function commitments(scope: Scope): Promise<readonly Figure[]> {
  const folder = copyCheckout("without-commitments");
  scope.after(async () => rmSync(folder, { recursive: true, force: true }));
  for (const [file, source, replacement] of without)
    replace(join(folder, file), source, replacement);
  const sides = { on: await opened(scope, checkout), off: await opened(scope, folder) };
  const client = new LoadClient(scope);
  const turn = async ({ pid, ...load }: Side, connections: number, millis = TURN_MILLIS) => {
    const before = processorSeconds(pid);
    const { perSecond } = await client.run({ ...load, connections, millis });
    return { perSecond, seconds: processorSeconds(pid) - before };
  };
  for (const side of [sides.on, sides.off]) await turn(side, 64, WARM_MILLIS);

  const figures: Figure[] = [];
  for (const connections of CLIENTS) {
    const pairs: { on: Turn; off: Turn }[] = [];
    for (let pair = 0; pair < PAIRS; pair += 1) {
      const early = pair % 2 === 0 ? await turn(sides.on, connections) : undefined;
      const off = await turn(sides.off, connections);
      pairs.push({ on: early ?? (await turn(sides.on, connections)), off });
    }
    figures.push(...figuresOf(connections === 1 ? "1 client" : `${connections} clients`, pairs));
  }
  return figures;
}

function replace(path: string, source: string, replacement: string): void {
  const text = readFileSync(path, "utf8");
  if (text.split(source).length !== 2) throw new Error(`${path} has not once: ${source}`);
  writeFileSync(
    path,
    text.replace(source, () => replacement),
  );
}

/** By the modules of the folder itself, which start the exchange of their own checkout. */
async function opened(scope: Scope, folder: string): Promise<Side> {
  const file = pathToFileURL(join(folder, "bench/exchange.ts")).href;
  const { openMarket, meetingOrders, portOf }: typeof import("./exchange.ts") = await import(file);
  const market = await openMarket(scope);
  const requests = await meetingOrders(market);
  return { pid: market.exchange.pid, port: portOf(market.exchange), requests };
}

function figuresOf(clients: string, pairs: readonly { on: Turn; off: Turn }[]): readonly Figure[] {
  const pace = (side: "on" | "off"): number =>
    quantile(
      pairs.map((pair) => pair[side].perSecond),
      0.5,
    );
  const paces = pairs.map(({ on, off }) => on.perSecond / off.perSecond);
  const micros = ({ seconds, perSecond }: Turn): number =>
    (1e6 * seconds) / (perSecond * (TURN_MILLIS / 1000));
  const costs = pairs.map(({ on, off }) => micros(on) / micros(off));
  const cost = (side: "on" | "off"): number =>
    quantile(
      pairs.map((pair) => micros(pair[side])),
      0.5,
    );
  return [
    {
      what: `durable orders, ${clients}`,
      value: `${digits(pace("on"))} a second`,
      against: `without commitments and tree: ${digits(pace("off"))}`,
      ratio: spread(paces),
    },
    {
      what: `processor time an order, ${clients}`,
      value: `${digits(cost("on"))} µs`,
      against: `without commitments and tree: ${digits(cost("off"))}`,
      ratio: spread(costs),
    },
  ];
}

/** The median of the pairs, and the middle half of them. */
const spread = (ratios: readonly number[]): string =>
  `${times(quantile(ratios, 0.5))} (${digits(quantile(ratios, 0.25))} to ` +
  `${digits(quantile(ratios, 0.75))})`;
