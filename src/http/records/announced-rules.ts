// The rules of busts, and changes of the rules that wait for their day, as everybody reads them.
// Invariant: the values and the day, and nobody's name.
import { Type } from "typebox";
import { announcementShown } from "#core/rules-change.ts";
import type { ExchangeView } from "#views/exchange.ts";

export const AnnouncedRules = Type.Array(
  Type.Object(
    {
      id: Type.String(),
      announcedAt: Type.String({ description: "when the second person agreed" }),
      effectiveAt: Type.String({ description: "from then on the changes are in force" }),
      changes: Type.Record(Type.String(), Type.Union([Type.Number(), Type.String()]), {
        description: "the new values, by path: tiers.enhanced.marginRequirement",
      }),
    },
    { title: "AnnouncedRules" },
  ),
  { description: "changes of the rules that wait for their day, the oldest first" },
);

export const BustShape = Type.Object(
  {
    band: Type.Number({ description: "USD a contract off the mark" }),
    windowMinutes: Type.Integer({ description: "after the fill" }),
  },
  { description: "when a fill may be busted: further off the mark, and within so long" },
);

export const FundShape = Type.Object(
  { target: Type.Number({ description: "USD, its layers together; 0 asks for no contributions" }) },
  { description: "the size that the guarantee fund is to have" },
);

export const ConcentrationShape = Type.Object(
  {
    share: Type.Number({ description: "fraction of the open coverage at the last marks" }),
    floor: Type.Number({ description: "USD of coverage that nobody needs more for" }),
    rate: Type.Number({
      description: "USD of maintenance for each USD of coverage beyond both; 0 = none",
    }),
  },
  { description: "from which part of a market or a state on a seller needs more" },
);

export const PriceRulesShape = Type.Object(
  {
    carry: Type.Number({
      description: "a year's return on the margin that a seller binds; 0.04 where no rule says",
    }),
  },
  { description: "the rules that reference prices follow, beside the model" },
);

export const announcedRules = ({
  rules,
  announcedRules: all,
}: Pick<ExchangeView, "rules" | "announcedRules">) =>
  [...all].map((announcement) => announcementShown(rules, announcement));
