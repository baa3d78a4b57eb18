// Accounts that wait: an inquiry of identity to decide, a margin call, a default.
// Invariant: calls and defaults run by the rules; nobody here hastens or ends one.
import { answered, type Schemas } from "@firstprint/sdk";
import { useState } from "preact/hooks";
import { exchange } from "../../session.ts";
import { cents, day, time } from "../../words.ts";
import { act, Reasoned, Word } from "./acting.tsx";
import type { ItemOf } from "./queue.ts";

type Screening = (typeof screenings)[number]["member"];

const screenings = [
  { member: "sanctionsCleared", label: "Sanctions were screened and are clear" },
  { member: "pepScreened", label: "Political exposure was screened and is clear" },
  { member: "adverseMediaCleared", label: "Adverse media were screened and are clear" },
] as const;

type Tier = NonNullable<Schemas["KycRecord"]["requestedTier"]>;

interface Decision extends Partial<Readonly<Record<Screening, boolean>>> {
  readonly decision: "approve" | "reject";
  readonly tier?: Tier;
  readonly countryCode?: string;
}

const tierWords: Readonly<Record<string, string>> = {
  basic: "basic",
  enhanced: "enhanced",
  institutional: "institutional",
};
const tiers = ["basic", "enhanced", "institutional"] as const satisfies readonly Tier[];

export function KycItem({ item: { account, kyc } }: { readonly item: ItemOf<"kyc"> }) {
  const asked = kyc.requestedTier ?? tiers.find((one) => one === kyc.tier) ?? "basic";
  const [tier, setTier] = useState<Tier>(asked);
  const [country, setCountry] = useState(kyc.countryCode ?? "");
  const [cleared, setCleared] = useState<Readonly<Partial<Record<Screening, boolean>>>>({});
  const what = `Deciding ${account.id}`;
  const decide = async (body: Decision): Promise<string> => {
    const params = { path: { id: account.id } };
    const sent = exchange.value.POST("/api/admin/accounts/{id}/kyc", { params, body });
    const { data } = await answered(sent);
    return `${account.name} is ${data.status}${data.tier === "none" ? "" : `, ${data.tier}`}.`;
  };
  const approve = (event: Event): void => {
    event.preventDefault();
    const given = country === "" ? {} : { countryCode: country };
    void act(what, () => decide({ decision: "approve", tier, ...cleared, ...given }));
  };
  return (
    <>
      <h3>{account.name}</h3>
      <p class="small soft">
        {account.id}, opened {day(account.createdAt)}; asks for {tierWords[asked]}, has{" "}
        {kyc.status === "approved" ? kyc.tier : "none"}
      </p>
      <form class="stack" onSubmit={approve}>
        <div class="fields">
          <label class="field">
            <span>Tier</span>
            <select
              value={tier}
              onChange={({ currentTarget: { value } }) =>
                setTier(tiers.find((one) => one === value) ?? asked)
              }
            >
              {tiers.map((one) => (
                <option key={one} value={one}>
                  {tierWords[one]}
                </option>
              ))}
            </select>
          </label>
          <label class="field">
            <span>Country, two letters</span>
            <input
              value={country}
              pattern="[A-Z]{2}"
              maxLength={2}
              onInput={(event) => setCountry(event.currentTarget.value.toUpperCase())}
            />
          </label>
        </div>
        {screenings.map(({ member, label }) => (
          <label key={member} class="tick">
            <input
              type="checkbox"
              required
              checked={cleared[member] === true}
              onChange={({ currentTarget: { checked } }) =>
                setCleared((before) => ({ ...before, [member]: checked }))
              }
            />
            {label}
          </label>
        ))}
        <div class="row">
          <button
            type="submit"
            class="button first"
            disabled={!screenings.every(({ member }) => cleared[member])}
          >
            Approve
          </button>
          <Word label="Reject" what={what} give={() => decide({ decision: "reject" })} />
        </div>
      </form>
    </>
  );
}

export const CallItem = ({
  item: { account, marginCall },
}: {
  readonly item: ItemOf<"marginCall">;
}) => (
  <>
    <h3>{account.name}</h3>
    <p>
      {account.id} lacks {cents(Number(marginCall?.amount ?? 0))} of what its positions need
      {marginCall !== null && `, and defaults ${day(marginCall.dueAt)}, ${time(marginCall.dueAt)}`}.
    </p>
  </>
);

export function DefaultItem({
  item: { account, inDefault },
}: {
  readonly item: ItemOf<"default">;
}) {
  const auction = inDefault?.auctionId ?? null;
  const resume = async (reason: string): Promise<string> => {
    const params = { path: { id: account.id } };
    const body = { reason };
    await answered(exchange.value.POST("/api/admin/accounts/{id}/resume", { params, body }));
    return `${account.name} may trade again.`;
  };
  return (
    <>
      <h3>{account.name}</h3>
      <p>
        {account.id} is in default.{" "}
        {auction === null ? "No auction runs." : `Its positions are in auction ${auction}.`} It owes
        the fund {cents(Number(inDefault?.owesFund ?? 0))}.
      </p>
      <Reasoned label="Resume it" what={`Resuming ${account.id}`} give={resume} />
    </>
  );
}
