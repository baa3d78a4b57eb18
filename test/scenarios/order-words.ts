// The sentences about orders beyond placing and cancelling: amending, the switch, the protection.
// Invariant: every one of them gives exactly one command.
import assert from "node:assert/strict";
import { orderId } from "#base/ids.ts";
import { parseTick } from "#base/price.ts";
import { parseLots } from "#base/quantity.ts";
import type { CommandOf } from "#core/command.ts";

const CHANGE = /^(?<what>price|amount|until) (?<to>.+)$/;

/** `price 0.06, amount 20, until never`, in any number and order. */
export function amendment(
  order: string,
  text: string,
  millisOf: (text: string) => number,
): CommandOf<"AmendOrder"> {
  let command: CommandOf<"AmendOrder"> = {
    type: "AmendOrder",
    orderId: orderId(order),
    price: null,
    amountLots: null,
    expirySeconds: null,
  };
  for (const part of text.split(", ")) {
    const { what, to = "" } = CHANGE.exec(part)?.groups ?? assert.fail(`no change: ${part}`);
    if (what === "price") command = { ...command, price: { tick: parseTick(to) ?? null } };
    if (what === "amount") command = { ...command, amountLots: parseLots(to) ?? assert.fail(to) };
    if (what === "until") {
      command = { ...command, expirySeconds: to === "never" ? 0 : millisOf(to) / 1000 };
    }
  }
  return command;
}

/** `60 s: 10 contracts, 3 fills`, or `off`. */
export function protection(text: string): CommandOf<"SetProtection"> {
  const [, seconds = "0", , contracts, , fills] =
    /^(?:off|(\d+) s:( (\S+) contracts)?,?( (\d+) fills)?)$/.exec(text) ?? assert.fail(text);
  return {
    type: "SetProtection",
    withinSeconds: Number(seconds),
    maxLots: contracts === undefined ? null : (parseLots(contracts) ?? assert.fail(contracts)),
    maxFills: fills === undefined ? null : Number(fills),
  };
}
