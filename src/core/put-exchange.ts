// The singletons of the exchange, in their place in the state.
// Invariant: the first entry founds it; each event changes what it names, and nothing else.
import type { EventOf } from "./event.ts";
import type { Exchange, State } from "./state.ts";

type ExchangeEvent = EventOf<
  | "Founded"
  | "RulesUpgraded"
  | "TermBegun"
  | "HaltChanged"
  | "ClockSet"
  | "RootSwitched"
  | "CoverJudged"
>;

export function putExchange(state: State, event: ExchangeEvent): void {
  if (event.type === "RulesUpgraded") {
    state.deciderVersion = event.version;
  } else if (event.type === "Founded") {
    state.exchange = founded(event);
    state.deciderVersion = event.version;
  } else if (event.type === "TermBegun") {
    const { managedStorage: _before, ...exchange } = exchangeOf(state);
    state.exchange = event.storage === "managed" ? { ...exchange, managedStorage: true } : exchange;
  } else if (event.type === "RootSwitched") {
    const { rootOff: _before, ...exchange } = exchangeOf(state);
    state.exchange = event.on ? exchange : { ...exchange, rootOff: true };
  } else if (event.type === "CoverJudged") {
    const { fundShortMicros: _before, ...exchange } = exchangeOf(state);
    const short = event.lackingMicros > 0n ? { fundShortMicros: event.lackingMicros } : {};
    state.exchange = { ...exchange, ...short };
  } else {
    state.exchange = { ...exchangeOf(state), ...exchangeAfter(event) };
  }
}

const founded = ({ clock, chainId }: EventOf<"Founded">): Exchange => ({
  clock,
  chainId,
  halted: false,
  haltReason: "",
  clockMillis: 0,
});

const exchangeAfter = (event: EventOf<"HaltChanged"> | EventOf<"ClockSet">): Partial<Exchange> =>
  event.type === "ClockSet"
    ? { clockMillis: event.toMillis }
    : { halted: event.halted, haltReason: event.reason };

function exchangeOf(state: State): NonNullable<State["exchange"]> {
  if (state.exchange === undefined) throw new Error("the first entry founds the exchange");
  return state.exchange;
}
