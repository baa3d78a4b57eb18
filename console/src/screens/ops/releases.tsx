// Held files and places: why they are held, which markets they would settle, and the two words.
// Invariant: what would be paid stands beside the button that would pay it.
import { answered, type Schemas } from "@firstprint/sdk";
import { indexWords } from "../../parts/market-words.ts";
import { PlaceName } from "../../parts/place-name.tsx";
import { exchange } from "../../session.ts";
import { amount, day, monthWords, percent } from "../../words.ts";
import { Reasoned, Word } from "./acting.tsx";
import type { ItemOf } from "./queue.ts";

type Settles = Schemas["WaitingRelease"]["wouldSettle"];

/** "MOVE_TOO_LARGE: 2025-04 moves …" as its sentence and its code. */
const Reasons = ({ reasons }: { readonly reasons: readonly string[] }) => (
  <ul class="reasons">
    {reasons.map((reason) => {
      const [, code = "", words = reason] = /^([A-Z_]+): (.*)$/s.exec(reason) ?? [];
      return (
        <li key={reason}>
          {words} <span class="soft small">{code}</span>
        </li>
      );
    })}
  </ul>
);

function WouldSettle({ settles }: { readonly settles: Settles }) {
  if (settles.length === 0)
    return <p class="small">No market waits for it: its word settles nothing.</p>;
  return (
    <div class="sheet">
      <table class="stacked">
        <caption>Once it is released, it settles {marketsWords(settles.length)}.</caption>
        <thead>
          <tr>
            <th scope="col">Market</th>
            <th scope="col">Month</th>
            <th scope="col" class="number">
              Would pay
            </th>
          </tr>
        </thead>
        <tbody>
          {settles.map(({ marketId, frontendId, nodeId, month, payoutFraction }) => (
            <tr key={marketId}>
              <th scope="row">
                <a href={`/market/${frontendId}`}>
                  <PlaceName id={nodeId} />
                </a>{" "}
                <span class="soft small">{frontendId}</span>
              </th>
              <td data-name="Month">{monthWords(month)}</td>
              <td class="number strong" data-name="Would pay">
                {payoutFraction === null
                  ? "waits on: no chain leads to it"
                  : `${percent(100 * payoutFraction)} of coverage`}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const marketsWords = (count: number): string =>
  count === 1 ? "one market" : `${amount(count)} markets`;

const releaseWords = ({ index, level, lastMonth }: Schemas["WaitingRelease"]): string => {
  const what = indexWords(index);
  return `${what.charAt(0).toUpperCase()}${what.slice(1)} by ${level}, to ${monthWords(lastMonth)}`;
};

export function ReleaseItem({ item }: { readonly item: ItemOf<"release"> }) {
  const { release, firstWord } = item;
  const params = { path: { id: release.id } };
  const approve = async (): Promise<string> => {
    const asked = exchange.value.POST("/api/admin/releases/{id}/approve", { params });
    const { data } = await answered(asked);
    return data.status === "accepted"
      ? `${release.id} is released. It has settled ${marketsWords(data.resolvedMarkets.length)}.`
      : `Your word on ${release.id} is kept. Another person has to give the second.`;
  };
  const reject = async (reason: string): Promise<string> => {
    const body = { reason };
    await answered(exchange.value.POST("/api/admin/releases/{id}/reject", { params, body }));
    return `${release.id} is rejected. Nothing of it counts.`;
  };
  return (
    <>
      <h3>{releaseWords(release)}</h3>
      <p class="small soft">
        {release.id}, from {release.provider}, published {day(release.publishedAt)};{" "}
        {amount(release.rows)} rows
      </p>
      <Reasons reasons={release.reasons} />
      <WouldSettle settles={release.wouldSettle} />
      <div class="row">
        <Word
          label={
            firstWord === null ? "It is right: give the first word" : "It is right: release it"
          }
          what={`Releasing ${release.id}`}
          isFirst
          isDisabled={firstWord?.isYours === true}
          give={approve}
        />
      </div>
      <Reasoned label="Reject it" what={`Rejecting ${release.id}`} give={reject} />
    </>
  );
}

export function PlaceItem({ item }: { readonly item: ItemOf<"place"> }) {
  const { place, firstWord } = item;
  const { nodeId, releaseId, renamedFrom } = place;
  const params = { path: { id: releaseId, nodeId } };
  const base = "/api/admin/releases/{id}/places/{nodeId}";
  const approve = async (): Promise<string> => {
    const asked = exchange.value.POST(`${base}/approve` as const, { params });
    const { data } = await answered(asked);
    return data.status === "released"
      ? `${nodeId} is released.`
      : `Your word on ${nodeId} is kept. Another person has to give the second.`;
  };
  const reject = async (reason: string): Promise<string> => {
    const body = { reason };
    await answered(exchange.value.POST(`${base}/reject` as const, { params, body }));
    return `${nodeId} is rejected: the next release has its print.`;
  };
  const newest = place.prints.at(-1);
  return (
    <>
      <h3>
        <PlaceName id={nodeId} />, {indexWords(place.index)}
      </h3>
      <p class="small soft">
        {releaseId}; the provider’s id {place.regionId}
        {renamedFrom !== null && `, ${renamedFrom} before`}
      </p>
      <Reasons reasons={place.reasons} />
      {newest !== undefined && (
        <p class="small">
          {amount(place.prints.length)} prints are shown to nobody. The newest, of{" "}
          {monthWords(newest.month)}, is {newest.value}.{" "}
          <span class="source">{place.attribution}.</span>
        </p>
      )}
      <WouldSettle settles={place.wouldSettle} />
      <div class="row">
        <Word
          label={
            firstWord === null ? "It is right: give the first word" : "It is right: release it"
          }
          what={`Releasing ${nodeId}`}
          isFirst
          isDisabled={firstWord?.isYours === true}
          give={approve}
        />
      </div>
      <Reasoned label="Reject it" what={`Rejecting ${nodeId}`} give={reject} />
    </>
  );
}
