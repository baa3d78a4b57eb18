// Margin health as a gauge, with the words beside it.
// Invariant: the gauge shows the exchange's own figure; its state stands in words, not in colour.
import type { Schemas } from "@firstprint/sdk";
import { cents, day, percent } from "../../words.ts";

const FULL = 3;

const words: Readonly<Record<Schemas["MarginHealth"]["healthStatus"], string>> = {
  healthy: "healthy",
  warning: "close to its limit: add cash or buy back",
  critical: "critical: add cash or buy back now",
  liquidation: "being liquidated",
};

const healthWords = (health: number): string =>
  health > 10 ? "more than 10 times" : `${percent(100 * health)} of`;

export function Margin({ margin }: { readonly margin: Schemas["MarginHealth"] }) {
  const { marginHealth, healthStatus, marginCall, maintenanceMargin, available } = margin;
  const share = Math.min(1, Math.max(0, marginHealth / FULL));
  return (
    <div class="margin">
      <p>
        Margin is <strong>{words[healthStatus]}</strong>:{" "}
        <span class="figures">{healthWords(marginHealth)}</span> what must be kept,{" "}
        {cents(Number(maintenanceMargin))}; {cents(Number(available))} is free.
      </p>
      <meter
        class="gauge"
        min={0}
        max={FULL}
        low={1.1}
        high={1.5}
        optimum={FULL}
        value={share * FULL}
        aria-label={`Margin: ${healthWords(marginHealth)} what must be kept`}
      />
      {marginCall !== null && (
        <p class="bad-words" role="alert">
          There is a margin call: {cents(Number(marginCall.amount))} by {day(marginCall.dueAt)}.
        </p>
      )}
    </div>
  );
}
