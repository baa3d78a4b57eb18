// The claims of an answer, drawn from its body alone.
// Invariant: a claim is exact: lots, ticks and micro-dollars, never a rounded number.
import { at, type Json, listAt, numberAt, textAt } from "#test/support/exchange.ts";
import { ABSENT, type Claims } from "./history.ts";

type Claim = readonly [string, string];

/** All prices of the clients lie between these, in ticks of YES. */
export const TICKS = { first: 440, last: 560 } as const;

/** The book before anybody has come. */
export const emptyBook = (): Map<string, string> => {
  const levels = new Map<string, string>();
  for (let tick = TICKS.first; tick <= TICKS.last; tick += 1) {
    for (const side of ["bid", "ask"]) levels.set(`level:${side}:${tick}`, "none");
  }
  return levels;
};

/** A decimal string as a whole number of its smallest part. */
function whole(text: string, places: number): string {
  const [, sign = "", units = "", fraction = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (units === "" || fraction.length > places) throw new Error(`${text} is no decimal`);
  return String(BigInt(`${sign}${units}${fraction.padEnd(places, "0")}`));
}

export const microsIn = (text: string): string => whole(text, 6);
const lotsIn = (text: string): string => whole(text, 2);
const tickOf = (price: number): number => Math.round(price * 10_000);

export const cashOf = (account: string, body: Json): readonly Claim[] => [
  [`ledger:cash:${account}`, microsIn(textAt(body, "cash"))],
];

export function orderIn(order: Json): readonly Claim[] {
  const id = textAt(order, "id");
  const terms = `${lotsIn(textAt(order, "amount"))} at ${tickOf(numberAt(order, "price"))}`;
  return [
    [`status:${id}`, textAt(order, "status")],
    [`filled:${id}`, lotsIn(textAt(order, "filledAmount"))],
    [`terms:${id}`, terms],
  ];
}

/** The one market that is traded; an account that never did has no position there. */
export function heldIn(account: string, positions: readonly Json[]): readonly Claim[] {
  const [position] = positions;
  const held = position === undefined ? ABSENT : lotsIn(textAt(position, "amount"));
  return [[`held:${account}`, held]];
}

function levelOf(side: string, level: Json): Claim {
  const orders = numberAt(level, "orders");
  const amount = lotsIn(textAt(level, "amount"));
  const name = `level:${side}:${tickOf(numberAt(level, "price"))}`;
  return [name, orders === 0 ? "none" : `${amount} in ${orders}`];
}

/** Every level of the book, the empty ones too. */
export function bookIn(book: Json): Claims {
  const levels = emptyBook();
  for (const level of listAt(book, "bids")) levels.set(...levelOf("bid", level));
  for (const level of listAt(book, "asks")) levels.set(...levelOf("ask", level));
  return levels;
}

/** The levels that a message of the stream tells. */
export const toldIn = (message: Json): readonly Claim[] =>
  listAt(message, "events")
    .filter((event) => at(event, "type") === "level")
    .map((event) => levelOf(textAt(event, "side"), event));

export const auditIn = (entries: readonly Json[]): readonly Claim[] =>
  entries.map((entry) => {
    const sequence = textAt(entry, "id").replace(/^aud-/, "");
    return [`hash:${sequence}`, textAt(entry, "hash")];
  });

/** A checkpoint's third line is the hash of the entry that its second line numbers. */
export function signedIn(note: string): readonly Claim[] {
  const [, size, head = ""] = note.split("\n");
  return [[`hash:${size}`, Buffer.from(head, "base64").toString("hex")]];
}
