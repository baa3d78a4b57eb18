// firstprint mandate …: the account's standing instructions, and what they have traded.
// Invariant: amounts travel as the digits that were typed; a change sends what was given alone.
import { at, items } from "./answer.ts";
import type { Arguments } from "./arguments.ts";
import type { CliCommand } from "./command.ts";
import { UsageFault } from "./faults.ts";
import { amountText } from "./figures.ts";
import type { Option } from "./form.ts";
import { secondsOf } from "./instant.ts";
import { sideOf } from "./order.ts";
import { field, time } from "./table.ts";

export const mandatesUrl = "/api/trading/mandates";

const fields = [
  field("id"),
  field("index"),
  field("places"),
  field("side"),
  field("spreadBps", "spread"),
  field("spreadBpsPerYear", "a year"),
  field("maxTotalUsd", "at most"),
  field("collateral"),
  field("expiry", "until", (seconds) => (seconds === 0 ? "-" : time(seconds))),
];

const list: CliCommand = {
  words: "mandate list",
  about: "List the account's mandates: scopes in which it trades at the mark and a spread",
  example: "mandate list",
  needs: "key",
  run: async ({ exchange, screen }) => {
    const answer = await exchange.read(mandatesUrl);
    const rows = items(at(answer.json, "data"));
    screen.show(answer, () => screen.table(fields, rows, "No mandates."));
    return undefined;
  },
};

const used = field("usedUsd", "traded", (usd) => `${usd} USD`);

const usage: CliCommand = {
  words: "mandate usage",
  about: "Show the coverage a mandate has traded in markets that are not final",
  takes: ["mandate"],
  example: "mandate usage mnd-1",
  needs: "key",
  run: async ({ args, exchange, screen }) => {
    const answer = await exchange.read("/api/trading/mandates/{mandateId}/usage", {
      mandateId: args.word("mandate"),
    });
    const data = at(answer.json, "data");
    screen.show(answer, () =>
      [
        screen.record([used], data),
        "",
        screen.table([field("place", "state"), used], items(at(data, "states")), "No state."),
        "",
        screen.table([field("marketId", "market"), used], items(at(data, "markets")), "No market."),
      ].join("\n"),
    );
    return undefined;
  },
};

const limits = {
  "max-market": { value: "usd", about: "coverage in one market while that is not final" },
  "max-state": { value: "usd", about: "coverage in all such markets of a state" },
  max: { value: "usd", about: "coverage in all such markets" },
} as const satisfies Record<string, Option>;

const terms = {
  places: {
    value: "places",
    about: "ids such as state:tx, with commas, and all that lies in them",
  },
  spread: { value: "bps", about: "steps of 0.0001 USD a contract beyond the mark" },
  "spread-per-year": { value: "bps", about: "beside it, for each year of prints still to come" },
  ...limits,
  index: { value: "index", about: "zhvi or zori" },
  "min-months": { value: "number", about: "prints still to come, at least" },
  "max-months": { value: "number", about: "and at most" },
  expiry: { value: "time", about: "until then; 0 = until it is cancelled" },
  collateral: { value: "margin|full", about: "full: only while cash pays all it could ever owe" },
} as const satisfies Record<string, Option>;

const required = ["places", "spread", "max-market", "max-state", "max"] as const;

function limitsIn(args: Arguments) {
  const usd = (name: keyof typeof limits, member: string) => {
    const text = args.option(name);
    return text === undefined ? {} : { [member]: amountText(text) };
  };
  return {
    ...usd("max-market", "maxPerMarketUsd"),
    ...usd("max-state", "maxPerStateUsd"),
    ...usd("max", "maxTotalUsd"),
  };
}

/** Of the options that were given. */
function termsIn(args: Arguments) {
  const whole = (name: keyof typeof terms, member: string) => {
    const value = args.whole(name);
    return value === undefined ? {} : { [member]: value };
  };
  const places = args.option("places")?.split(",");
  const expiry = args.option("expiry");
  return {
    ...args.given("index", "collateral"),
    ...(places === undefined ? {} : { places: places.map((place) => place.trim()) }),
    ...whole("spread", "spreadBps"),
    ...whole("spread-per-year", "spreadBpsPerYear"),
    ...limitsIn(args),
    ...whole("min-months", "minMonths"),
    ...whole("max-months", "maxMonths"),
    ...(expiry === undefined ? {} : { expiry: secondsOf(expiry, "--expiry") }),
  };
}

const set: CliCommand = {
  words: "mandate set",
  about: "Sell, or buy, every contract of a scope at the mark and a spread, from one pool of cash",
  takes: ["sell|buy"],
  options: Object.fromEntries(
    Object.entries(terms).map(([name, option]) => {
      const isRequired = required.some((one) => one === name);
      return [name, isRequired ? { ...option, required: true } : option];
    }),
  ),
  example:
    "mandate set sell --places state:tx,state:az --spread 150 --max-market 50000 " +
    "--max-state 1000000 --max 1500000",
  needs: "key",
  run: async ({ args, exchange, screen }) => {
    const side = sideOf(args.word("sell|buy"));
    const sent = { index: "zhvi", side, ...termsIn(args) };
    const answer = await exchange.post(mandatesUrl, sent);
    screen.show(answer, () => screen.record(fields, at(answer.json, "data")));
    return undefined;
  },
};

const change: CliCommand = {
  words: "mandate change",
  about: "Change terms of a mandate; what is left out stays as it was",
  takes: ["mandate"],
  options: terms,
  example: "mandate change mnd-1 --places state:tx --spread 200",
  needs: "key",
  run: async ({ args, exchange, screen }) => {
    const sent = termsIn(args);
    if (Object.keys(sent).length === 0) throw new UsageFault("give at least one term to change");
    const mandateId = args.word("mandate");
    const answer = await exchange.patch(`${mandatesUrl}/{mandateId}`, { mandateId, ...sent });
    screen.show(answer, () => screen.record(fields, at(answer.json, "data")));
    return undefined;
  },
};

const lower: CliCommand = {
  words: "mandate lower",
  about: "Lower all three limits of a mandate; a key that may only cancel can do so, at any time",
  takes: ["mandate"],
  options: Object.fromEntries(
    Object.entries(limits).map(([name, option]) => [name, { ...option, required: true }]),
  ),
  example: "mandate lower mnd-1 --max-market 10000 --max-state 100000 --max 100000",
  needs: "key",
  run: async ({ args, exchange, screen }) => {
    const mandateId = args.word("mandate");
    const sent = { mandateId, ...limitsIn(args) };
    const answer = await exchange.post(`${mandatesUrl}/{mandateId}/lower`, sent);
    screen.show(answer, () => screen.record(fields, at(answer.json, "data")));
    return undefined;
  },
};

const cancel: CliCommand = {
  words: "mandate cancel",
  about: "Cancel a mandate; its positions stay",
  takes: ["mandate"],
  example: "mandate cancel mnd-1",
  needs: "key",
  run: async ({ args, exchange, screen }) => {
    const answer = await exchange.delete("/api/trading/mandates/{mandateId}", {
      mandateId: args.word("mandate"),
    });
    screen.show(answer, () => "Cancelled.");
    return undefined;
  },
};

export const mandateCommands: readonly CliCommand[] = [list, usage, set, change, lower, cancel];
