// Lines of the log: one an answered request, one a decision of weight.
// Invariant: no secret, no body and no query is logged; what an entry says stays in the audit.
import { auditHeading } from "#core/audit.ts";
import { type Entry, isRejected } from "#core/outcome.ts";
import type { AnsweredRequest } from "#http/server/answered.ts";
import { log } from "./faults.ts";

/** A fault of ours is logged where it is met, with its cause. */
export function logAnswer(whole: AnsweredRequest): void {
  if (!log.isLevelEnabled("debug")) return;
  const { millis, isStream: _, ...answered } = whole;
  log.debug({ ...answered, millis: Math.round(millis * 1000) / 1000 }, "answered");
}

const weights = { info: "info", warning: "warn", critical: "error" } as const;

/**
 * Durable entries as the audit weighs them: those that warn, and at `info` what operators and
 * releases change; refused commands and the trade of the day at `debug`.
 */
export const decisionLog = {
  take(entry: Entry): void {
    const { action, severity, actor, concerns, resource } = auditHeading(entry);
    const isOfWeight = severity !== "info" || actor === "root" || action.startsWith("release.");
    const level = isOfWeight && !isRejected(entry.outcome) ? weights[severity] : "debug";
    if (!log.isLevelEnabled(level)) return;
    const { sequence, envelope } = entry;
    const { requestId } = envelope;
    log[level]({ sequence, action, actor, concerns, resource, requestId }, "decided");
  },
};
