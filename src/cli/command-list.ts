// Every command there is, in the order the help shows them.
// Invariant: what is not in this list does not exist.
import { accountCommands } from "./account.ts";
import { auctionCommands } from "./auction.ts";
import { auditCommands } from "./audit.ts";
import { backtestCommands } from "./backtest/backtest.ts";
import { backupCommands } from "./backup.ts";
import { bookCommands } from "./book.ts";
import { calendarCommands } from "./calendar.ts";
import { clockCommands } from "./clock.ts";
import type { CliCommand } from "./command.ts";
import { disputeCommands } from "./dispute.ts";
import { downloadCommands } from "./downloads.ts";
import { financingCommands } from "./financing.ts";
import { globalOptions, optionLines } from "./form.ts";
import { geoCommands } from "./geo.ts";
import { guaranteeCommands } from "./guarantee.ts";
import { haltCommands } from "./halt.ts";
import { historyCommands } from "./history.ts";
import { indexCommands } from "./index-value.ts";
import { keyCommands } from "./key.ts";
import { kycCommands } from "./kyc.ts";
import { listenCommands } from "./listen.ts";
import { mandateCommands } from "./mandate.ts";
import { marginCommands } from "./margin.ts";
import { markCommands } from "./mark.ts";
import { marketCommands } from "./market.ts";
import { massQuoteCommands } from "./mass-quote.ts";
import { modelCommands } from "./model.ts";
import { orderCommands } from "./order.ts";
import { groupCommands } from "./order-group.ts";
import { portfolioCommands } from "./portfolio.ts";
import { proposalCommands } from "./proposal.ts";
import { makerProtectionCommands } from "./protection.ts";
import { provideCommands } from "./provide.ts";
import { quoteCommands } from "./quote.ts";
import { releaseCommands } from "./release.ts";
import { releasePlaceCommands } from "./release-places.ts";
import { replayCommands } from "./replay/replay.ts";
import { rfqCommands } from "./rfq.ts";
import { rulesCommands } from "./rules.ts";
import { searchCommands } from "./search.ts";
import { serverCommands } from "./server.ts";
import { surveillanceCommands } from "./surveillance.ts";

export const commands: readonly CliCommand[] = [
  ...serverCommands,
  ...backupCommands,
  ...accountCommands,
  ...keyCommands,
  ...proposalCommands,
  ...kycCommands,
  ...geoCommands,
  ...releaseCommands,
  ...releasePlaceCommands,
  ...downloadCommands,
  ...marketCommands,
  ...disputeCommands,
  ...bookCommands,
  ...calendarCommands,
  ...listenCommands,
  ...searchCommands,
  ...indexCommands,
  ...historyCommands,
  ...quoteCommands,
  ...modelCommands,
  ...backtestCommands,
  ...replayCommands,
  ...orderCommands,
  ...massQuoteCommands,
  ...rfqCommands,
  ...portfolioCommands,
  ...marginCommands,
  ...makerProtectionCommands,
  ...groupCommands,
  ...mandateCommands,
  ...provideCommands,
  ...auctionCommands,
  ...markCommands,
  ...auditCommands,
  ...surveillanceCommands,
  ...clockCommands,
  ...rulesCommands,
  ...guaranteeCommands,
  ...financingCommands,
  ...haltCommands,
];

/** The command that the first words name, and how many of them it took. */
export function commandNamed(words: readonly string[]): CliCommand | undefined {
  const [first = "", second = "", third = ""] = words;
  return (
    commands.find((command) => command.words === `${first} ${second} ${third}`) ??
    commands.find((command) => command.words === `${first} ${second}`) ??
    commands.find((command) => command.words === first)
  );
}

export const groupNamed = (word: string): readonly CliCommand[] =>
  commands.filter((command) => command.words.startsWith(`${word} `));

export function overview(): string {
  return [
    "firstprint: the command line of a Firstprint exchange.",
    "",
    ...summaries(commands),
    "",
    "Everywhere:",
    ...optionLines(globalOptions),
    "",
    "Exit status: 0 done, 1 the exchange said no or did not answer, 2 wrong usage.",
    "More: firstprint help <command>",
  ].join("\n");
}

export function summaries(list: readonly CliCommand[]): readonly string[] {
  const width = Math.max(...list.map(({ words }) => words.length));
  return list.map(({ words, about }) => `  ${words.padEnd(width)}  ${about}`);
}
