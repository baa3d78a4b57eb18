// Random histories of requests for quotes among orders and halts: conservation and margin
// (`world.ts` judges every command), no reader finds a price or a name that is not its own, and
// what others are told does not depend on the prices of a losing quote.
// FIRSTPRINT_RFQ_HISTORIES is their number: 10,000 take half an hour.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AccountId } from "#base/ids.ts";
import { isRejected } from "#core/outcome.ts";
import { decodeState, encodeState, stateHash } from "#core/snapshot.ts";
import { sizeOfRun } from "#test/support/size-of-run.ts";
import { type Given, RfqHistory, tickOf } from "./rfq-history.ts";
import { Asked, channels, type Reader, Readers, readersIn, type Told } from "./rfq-readers.ts";

const HISTORIES = sizeOfRun("FIRSTPRINT_RFQ_HISTORIES", 200);
const FIRST = sizeOfRun("FIRSTPRINT_RFQ_FIRST", 1);

const seeds = Array.from({ length: HISTORIES }, (_, at) => FIRST + at);

/** `maker`: an auditor sees an account's free cash in its later entries: those are left out. */
async function toldIn(
  history: RfqHistory,
  asked: Asked,
  maker?: AccountId,
): Promise<ReadonlyMap<Reader, Told>> {
  asked.ask(history);
  const readers = new Readers(history);
  const told = new Map<Reader, Told>();
  for (const reader of readersIn(history)) {
    const without = reader === "auditor" ? maker : undefined;
    told.set(reader, readers.toldTo(reader, await asked.of(reader), without));
  }
  return told;
}

/** A price as ticks, which is a number, or as a decimal below 1; money is decimals in quotes. */
const pricesIn = (text: string): ReadonlySet<number> =>
  new Set(
    [...text.matchAll(/(?:(?<![\d."-])|(?<!\d)0\.)(\d{4})(?!\.?\d)/g)].map(([, digits]) =>
      Number(digits),
    ),
  );

test("no reader finds a losing price or a hidden maker, and money is as it must be", async (t) => {
  const sums = { opened: 0, quoted: 0, accepted: 0, ended: 0, lapsed: 0 };
  const names = ["opened", "quoted", "accepted", "ended", "lapsed"] as const;
  let looked = 0;
  for (const seed of seeds) {
    const asked = new Asked();
    const history = RfqHistory.drawn(seed, asked.note);
    const { world } = history.stage;
    for (const name of names) sums[name] += history.sums[name];
    assert.equal(stateHash(decodeState(encodeState(world.state))), stateHash(world.state));
    const losing = history.losing;
    for (const [reader, told] of await toldIn(history, asked)) {
      for (const channel of channels) {
        // The public answer is the replay of 2005 to 2011, whose shares are numbers like prices.
        if (reader === "public" && channel === "answer") continue;
        // An average of one's own trades lies anywhere among the prices.
        const text = told[channel].join("\n").replaceAll(/"averageCost":"[^"]*"/g, "");
        const where = `${reader} by ${channel} (history ${seed})`;
        const seesQuotes = channel === "answer";
        assertNameless(reader, text, history, where, seesQuotes);
        const found = pricesIn(text);
        for (const { accountId: maker, rfqId, ticks } of losing) {
          const isAsked = world.state.rfqs.get(rfqId)?.accountId === reader;
          if (reader === maker || (seesQuotes && isAsked)) continue;
          for (const tick of ticks) {
            looked += 1;
            if (!found.has(tick)) continue;
            const at = text.search(new RegExp(`(?:(?<![\\d."-])|(?<!\\d)0\\.)${tick}(?!\\.?\\d)`));
            assert.fail(
              `${where} reads ${tick} of ${maker}: ${text.slice(Math.max(0, at - 200), at + 50)}`,
            );
          }
        }
      }
    }
  }
  t.diagnostic(`${HISTORIES} histories: ${JSON.stringify(sums)}, ${looked} searches`);
  assert.ok(sums.accepted > HISTORIES / 4 && sums.quoted > HISTORIES);
});

/**
 * A requester names its audience itself; an auditor sees names in all but sealed entries; sides of
 * a trade that both wished so read each other's address in answers.
 */
function assertNameless(
  reader: Reader,
  text: string,
  history: RfqHistory,
  where: string,
  isAnswer: boolean,
): void {
  if (reader === "auditor") return;
  const { accounts } = history.stage.world.state;
  const own = history.given.filter(
    ({ actor }) => actor.type === "key" && actor.accountId === reader,
  );
  const named = new Set(
    own.flatMap(({ command }) => (command.type === "OpenRfq" ? (command.audience ?? []) : [])),
  );
  for (const { id, address } of accounts.values()) {
    if (id === reader) continue;
    const at = text.indexOf(`"${id}"`);
    assert.ok(at < 0, `${where} reads the name ${id}: ${text.slice(at - 300, at + 50)}`);
    const isKnown = isAnswer && reader !== "public" && history.knows(reader, id);
    const mayRead = named.has(address) || isKnown;
    assert.ok(mayRead || !text.includes(`"${address}"`), `${where} reads ${address}`);
  }
}

/** The same command, its prices moved where it is a quote of the account that never traded. */
const movedBy =
  (by: number, maker: AccountId, spared: ReadonlySet<string>) =>
  ({ actor, command, outcome }: Given) => {
    const isMakers = actor.type === "key" && actor.accountId === maker;
    if (!isMakers || (command.type !== "QuoteRfq" && command.type !== "ImproveQuote"))
      return command;
    const changed = isRejected(outcome)
      ? undefined
      : outcome.events.find((event) => event.type === "RfqQuoteChanged");
    if (changed !== undefined && spared.has(changed.quote.id)) return command;
    return { ...command, ticks: command.ticks.map((tick) => tickOf(tick + by)) };
  };

const shapeOf = ({ given }: RfqHistory): string =>
  given
    .map(({ outcome }) => (isRejected(outcome) ? outcome.rejection.code : outcome.events.length))
    .join();

test("others are told the same, as often and as long, whatever a losing quote asks", async (t) => {
  let [compared, moved, apart, texts] = [0, 0, 0, 0];
  for (const seed of seeds) {
    const asked = new Asked();
    const first = RfqHistory.drawn(seed, asked.note);
    const maker = seed % 2 === 0 ? first.stage.maker.id : first.stage.rival.id;
    const traded = first.planted.filter((quote) => first.isAccepted(quote)).map(({ id }) => id);
    const again = new Asked();
    const second = first.again(movedBy(7, maker, new Set(traded)), again.note);
    const differs = first.losing.filter(({ accountId }) => accountId === maker).length;
    if (differs === 0) continue;
    moved += differs;
    // The maker's own cash may end another command of its own otherwise.
    if (shapeOf(first) !== shapeOf(second)) {
      apart += 1;
      continue;
    }
    compared += 1;
    const requesters = new Set(
      first.losing.flatMap(({ accountId, rfqId }) =>
        accountId === maker ? (first.requesterOf(rfqId) ?? []) : [],
      ),
    );
    const [one, other] = [await toldIn(first, asked, maker), await toldIn(second, again, maker)];
    for (const [reader, told] of one) {
      if (
        reader === maker ||
        (reader !== "auditor" && reader !== "public" && requesters.has(reader))
      )
        continue;
      for (const channel of channels) {
        texts += told[channel].length;
        assert.deepEqual(
          other.get(reader)?.[channel],
          told[channel],
          `${reader} by ${channel} (history ${seed})`,
        );
      }
    }
  }
  t.diagnostic(
    `${HISTORIES} histories: ${moved} prices moved, ${compared} pairs compared in ${texts} ` +
      `messages and answers, ${apart} set aside`,
  );
  assert.ok(compared > HISTORIES / 3, `${compared} pairs`);
});
