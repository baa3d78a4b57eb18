// The singletons of the exchange, as far as readers are shown them.
// Invariant: they are those of the state at the same sequence.
import type { ClockKind } from "#core/command.ts";
import type { EventOf } from "#core/event.ts";

export interface ExchangeFacts {
  readonly clock: ClockKind;
  readonly chainId: string;
  readonly halted: boolean;
  readonly haltReason: string;
}

export const founded = ({ clock, chainId }: EventOf<"Founded">): ExchangeFacts => ({
  clock,
  chainId,
  halted: false,
  haltReason: "",
});
