// firstprint rules …: what each tier may do, pays and posts, when a market is liquid, and what is
// announced.
// Invariant: a change names one value by its path; whether it is a value, the exchange says.
import { at, items } from "./answer.ts";
import type { CliCommand } from "./command.ts";
import { UsageFault } from "./faults.ts";
import { tellWaiting } from "./proposal.ts";
import type { Screen } from "./screen.ts";
import { field, time } from "./table.ts";

const tierFields = [
  field("name", "kyc tier"),
  field("liquidityTier", "liquidity tier"),
  field("maxPosition", "a market"),
  field("maxDaily", "a day"),
  field("maxTotal", "in all"),
  field("maxPositionSize", "size"),
  field("maxDailyVolume", "volume"),
  field("maxOpenPositions", "positions"),
  field("tradingFee", "fee"),
  field("marginRequirement", "margin"),
  field("creditLine", "credit"),
];

const liquidityFields = [
  field("name", "index"),
  field("minLiquidity", "least coverage"),
  field("minProviders", "providers"),
  field("spreadMax", "widest spread"),
];

const announcedFields = [
  field("id"),
  field("effectiveAt", "in force", time),
  field("rule"),
  field("value"),
];

/** A row for each value of each announcement. */
const changesIn = (rules: unknown): readonly unknown[] =>
  items(at(rules, "announced")).flatMap((one) =>
    Object.entries(Object(at(one, "changes"))).map(([rule, value]) => ({
      ...Object(one),
      rule,
      value,
    })),
  );

const describe = (screen: Screen, rules: unknown): string =>
  [
    screen.table(tierFields, rows(at(rules, "tiers")), "No tiers."),
    "",
    screen.table(liquidityFields, rows(at(rules, "liquidity")), "No index kinds."),
    "",
    screen.table(announcedFields, changesIn(rules), "No change is announced."),
  ].join("\n");

const rows = (group: unknown): readonly unknown[] =>
  Object.entries(Object(group)).map(([name, members]) => ({ name, ...Object(members) }));

const showRules: CliCommand = {
  words: "rules show",
  about: "Show what each tier may do, pays and posts, and when a market is liquid",
  example: "rules show",
  needs: "operator",
  run: async ({ exchange, screen }) => {
    const answer = await exchange.read("/api/admin/rules", {});
    screen.show(answer, () => describe(screen, at(answer.json, "data")));
    return undefined;
  },
};

const setRule: CliCommand = {
  words: "rules set",
  about: "Change one of the rules: at once, or announced by two people where positions get dearer",
  takes: ["rule", "value"],
  example: "rules set tiers.enhanced.marginRequirement 0.2",
  needs: "operator",
  run: async ({ args, exchange, screen }) => {
    const [group = "", kind = "", name = "", ...more] = args.word("rule").split(".");
    const value = Number(args.word("value"));
    if (kind === "" || more.length > 0 || Number.isNaN(value)) {
      throw new UsageFault("a rule is named like tiers.enhanced.tradingFee, its value is a number");
    }
    const body = { [group]: { [kind]: name === "" ? value : { [name]: value } } };
    const answer = await exchange.post("/api/admin/rules", body);
    if (tellWaiting(screen, answer)) return undefined;
    screen.show(answer, () => describe(screen, at(answer.json, "data")));
    return undefined;
  },
};

const withdrawRule: CliCommand = {
  words: "rules withdraw",
  about: "Propose to take back a change that is announced, which takes two operators",
  takes: ["announcement"],
  example: "rules withdraw ann-41",
  needs: "operator",
  run: async ({ args, exchange, screen }) => {
    tellWaiting(
      screen,
      await exchange.post("/api/admin/rules/announced/{id}/withdraw", {
        id: args.word("announcement"),
      }),
    );
    return undefined;
  },
};

export const rulesCommands: readonly CliCommand[] = [showRules, setRule, withdrawRule];
