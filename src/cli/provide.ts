// firstprint lp: sells protection in some states from one pool of cash, and looks after it.
// Invariant: the mandate ends by itself LEASE_SECONDS after the last look; each look either keeps
// it, takes a state out of it, or cancels it.
import { setTimeout as sleep } from "node:timers/promises";
import { parseDecimal } from "#base/decimal.ts";
import { at, isText, items } from "./answer.ts";
import type { CliCommand } from "./command.ts";
import type { ExchangeClient } from "./exchange.ts";
import { UsageFault } from "./faults.ts";
import { amountText } from "./figures.ts";
import { mandatesUrl } from "./mandate.ts";
import type { Screen } from "./screen.ts";

const LOOK_MILLIS = 30_000;
const LEASE_SECONDS = 600;
/** The shares of the whole that one state and one market get. */
const STATE_PART = 2n;
const MARKET_PART = 10n;
/** Of margin health: a state leaves below the first, the mandate below the second. */
const NARROW_BELOW = 2;
const CANCEL_BELOW = 1.5;

interface Provision {
  readonly id: string;
  readonly places: readonly string[];
}

const provide: CliCommand = {
  words: "lp",
  about:
    "Sell protection in some states at the mark and a spread; gives up a state while margin " +
    "health is below 2, and all below 1.5. It ends ten minutes after this command does",
  options: {
    spread: { value: "bps", required: true, about: "steps of 0.0001 USD a contract on the mark" },
    states: { value: "states", required: true, about: "two letters each, separated by commas" },
    max: {
      value: "usd",
      required: true,
      about: "coverage in all; half in one state of several, a tenth in one market",
    },
    index: { value: "index", about: "zhvi or zori; zhvi when left out" },
    looks: { value: "number", about: "end after so many looks, one each 30 seconds" },
  },
  example: "lp --spread 150 --states tx,az --max 5000000",
  needs: "key",
  run: async ({ args, exchange, screen }) => {
    const places = (args.option("states") ?? "").split(",").map(stateOf);
    const most = args.whole("looks") ?? Number.POSITIVE_INFINITY;
    const answer = await exchange.post(mandatesUrl, {
      index: args.option("index") ?? "zhvi",
      places,
      side: "SELL",
      spreadBps: args.whole("spread"),
      ...limitsOf(amountText(args.option("max") ?? ""), places.length),
      expiry: await leaseEnd(exchange),
    });
    const id = at(answer.json, "data.id");
    let held: Provision | undefined = { id: isText(id) ? id : "", places };
    screen.show(answer, () => `${held?.id} sells in ${places.join(", ")}.`);
    for (let looks = 1; held !== undefined; looks += 1) {
      held = await lookAfter(exchange, screen, held);
      if (looks >= most) break;
      if (held !== undefined) await sleep(LOOK_MILLIS);
    }
    return undefined;
  },
};

function stateOf(text: string): string {
  if (/^[a-z]{2}$/i.test(text.trim())) return `state:${text.trim().toLowerCase()}`;
  throw new UsageFault(`--states must be states such as tx,az, not "${text}"`);
}

function limitsOf(maxTotalUsd: string, states: number) {
  const cents = parseDecimal(maxTotalUsd, 2);
  if (cents === undefined || cents < MARKET_PART) {
    throw new UsageFault("--max must be an amount of USD such as 5000000 or $5,000,000");
  }
  const usd = (value: bigint): string => `${value / 100n}.${`${value % 100n}`.padStart(2, "0")}`;
  return {
    maxTotalUsd,
    maxPerStateUsd: usd(states === 1 ? cents : cents / STATE_PART),
    maxPerMarketUsd: usd(cents / MARKET_PART),
  };
}

/** By the exchange's clock, not by this machine's. */
async function leaseEnd(exchange: ExchangeClient): Promise<number> {
  const status = await exchange.read("/api/status");
  return Math.floor(Date.parse(String(at(status.json, "engineTime"))) / 1000) + LEASE_SECONDS;
}

/** Undefined once it has given up the last state. */
async function lookAfter(
  exchange: ExchangeClient,
  screen: Screen,
  held: Provision,
): Promise<Provision | undefined> {
  const one = { mandateId: held.id };
  const margin = await exchange.read("/api/liquidity/margin-health");
  const usage = await exchange.read(`${mandatesUrl}/{mandateId}/usage`, one);
  const left = placesLeft(held, healthIn(margin.json), usage.json);
  const gained = await gainedIn(exchange, usage.json);
  screen.show(usage, () =>
    [
      `${held.id}  ${at(usage.json, "data.usedUsd")} USD sold`,
      `${gained} USD against the mark`,
      `margin health ${healthText(margin.json)}`,
    ].join("  "),
  );
  if (left.length === 0) {
    await exchange.delete(`${mandatesUrl}/{mandateId}`, one);
    screen.note(`margin health is low: ${held.id} is cancelled; its positions stay`);
    return undefined;
  }
  const isNarrower = left.length < held.places.length;
  if (isNarrower) screen.note(`margin health is low: ${held.id} goes on in ${left.join(", ")}`);
  await exchange.patch(`${mandatesUrl}/{mandateId}`, {
    ...one,
    expiry: await leaseEnd(exchange),
    ...(isNarrower ? { places: left } : {}),
  });
  return { ...held, places: left };
}

/** Without the state that has most of it, where the scenario that binds asks for too much. */
function placesLeft(held: Provision, health: number, usage: unknown): readonly string[] {
  if (health >= NARROW_BELOW) return held.places;
  if (health < CANCEL_BELOW) return [];
  const usedIn = (place: string): number => {
    const states = items(at(usage, "data.states"));
    return Number(
      at(
        states.find((state) => at(state, "place") === place),
        "usedUsd",
      ) ?? 0,
    );
  };
  const [, ...others] = [...held.places].sort((a, b) => usedIn(b) - usedIn(a));
  return held.places.filter((place) => others.includes(place));
}

/** An account without maintenance margin owes nothing that a scenario could raise. */
const isBound = (margin: unknown): boolean => Number(at(margin, "data.maintenanceMargin")) > 0;

const healthIn = (margin: unknown): number =>
  isBound(margin) ? Number(at(margin, "data.marginHealth")) : Number.POSITIVE_INFINITY;

const healthText = (margin: unknown): string =>
  isBound(margin)
    ? `${at(margin, "data.marginHealth")} (${at(margin, "data.bindingScenario")})`
    : "-";

/** Of the positions in its markets: what they brought and are worth at the mark, before fees. */
async function gainedIn(exchange: ExchangeClient, usage: unknown): Promise<string> {
  let gained = 0n;
  const micros = (value: unknown): bigint => parseDecimal(String(value), 6) ?? 0n;
  for (const market of items(at(usage, "data.markets"))) {
    const answer = await exchange.read("/api/trading/positions", {
      marketId: at(market, "marketId"),
    });
    for (const position of items(at(answer.json, "data"))) {
      gained += micros(at(position, "realised")) + micros(at(position, "unrealised"));
    }
  }
  return (Number(gained) / 1e6).toFixed(2);
}

export const provideCommands: readonly CliCommand[] = [provide];
