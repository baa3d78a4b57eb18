// A durable entry as it concerns each account in it: the messages of the private stream.
// Invariant: a piece is drawn from the entry for one account, and is marked as that account's.
import { type Static, Type } from "typebox";
import { type AccountId, accountId, type OrderId } from "#base/ids.ts";
import { type Entry, isRejected } from "#core/outcome.ts";
import { type Account, alertTypes, type Order } from "#core/records.ts";
import { ownAlerts, ownFills, ownPositions, ownPostings } from "#views/own-entries.ts";
import { dataOf, type FeedMessage, messageOf } from "../stream/feed-message.ts";
import { FillRecord, fillRecord } from "./fill-record.ts";
import { callShown, DefaultShape, defaultShown, MarginCallShape } from "./margin-health.ts";
import { OrderRecord, orderRecord } from "./order-record.ts";
import { HeldRecord, heldRecord } from "./position-record.ts";
import { PostingRecord, postingRecord } from "./posting-record.ts";

const of = <T extends string>(type: T) => ({ type: Type.Literal(type) });

const OwnEvent = Type.Union(
  [
    Type.Object({ ...of("order"), order: OrderRecord }),
    Type.Object({ ...of("fill"), fill: FillRecord }),
    Type.Object({ ...of("cash"), posting: PostingRecord }),
    Type.Object({ ...of("position"), position: HeldRecord }),
    Type.Object({
      ...of("account"),
      frozen: Type.Boolean({ description: "halted: it places no order until it is resumed" }),
      healthStatus: Type.Enum(["healthy", "warning", "critical", "liquidation"]),
      marginCall: MarginCallShape,
      inDefault: DefaultShape,
    }),
    Type.Object({
      ...of("alert"),
      id: Type.String(),
      alert: Type.Enum([...alertTypes]),
      message: Type.String(),
    }),
  ],
  { title: "OwnStreamEvent" },
);
type OwnEvent = Static<typeof OwnEvent>;

export const ownEventTypes = ["order", "fill", "cash", "position", "account", "alert"] as const;

/** `event: entry`: all that one journal entry means to the account. */
export const OwnStreamEntry = Type.Object(
  {
    sequence: Type.Integer({ description: "of the journal entry; the message's id" }),
    time: Type.String(),
    events: Type.Array(OwnEvent),
  },
  { title: "OwnStreamEntry" },
);

type Addressed = ReadonlyMap<AccountId, Pick<Account, "address">>;

/** Undefined where the entry means nothing to any account. */
export const ownMessage = (entry: Entry, accounts: Addressed): FeedMessage | undefined =>
  messageFor(entry, accounts, accountsIn(entry));

/** The `data` of the message that the private stream of an account has of the entry. */
export function ownData(
  entry: Entry,
  accounts: Addressed,
  account: AccountId,
  types: ReadonlySet<string> | undefined,
): Uint8Array | undefined {
  const message = messageFor(entry, accounts, [account]);
  if (message === undefined) return undefined;
  return dataOf(message, { account, types, markets: undefined });
}

function messageFor(
  entry: Entry,
  accounts: Addressed,
  whose: readonly AccountId[],
): FeedMessage | undefined {
  const pieces = whose.flatMap((account) => {
    const holder = accounts.get(account);
    const events = holder === undefined ? [] : ownEvents(entry, account, holder);
    return events.map((event) => ({
      type: event.type,
      marketId: undefined,
      account,
      json: Buffer.from(JSON.stringify(event)),
    }));
  });
  return messageOf(entry, pieces);
}

function ownEvents(
  entry: Entry,
  account: AccountId,
  holder: Pick<Account, "address">,
): readonly OwnEvent[] {
  const { sequence } = entry;
  const { orders, changed } = lastRecords(entry, account);
  return [
    ...orders.map((order) => ({ type: "order" as const, order: orderRecord(order, holder) })),
    ...ownFills(entry, account).map((fill) => ({
      ...{ type: "fill" as const, fill: fillRecord(fill, sequence) },
    })),
    ...ownPostings(entry, account).map((posting, line) => ({
      ...{ type: "cash" as const, posting: postingRecord(entry, posting, line) },
    })),
    ...ownPositions(entry, account).map((position) => ({
      ...{ type: "position" as const, position: heldRecord(position) },
    })),
    ...(changed === undefined ? [] : [accountEvent(changed)]),
    ...ownAlerts(entry, account).map(({ id, type, message }) => ({
      ...{ type: "alert" as const, id, alert: type, message },
    })),
  ];
}

/** `marginCall.amount`: the cash it lacked when it was called. */
const accountEvent = (account: Account): OwnEvent => ({
  type: "account",
  frozen: account.halted,
  healthStatus: account.marginStatus,
  marginCall:
    account.marginCall === undefined ? null : callShown(account, account.marginCall.amountMicros),
  inDefault: defaultShown(account),
});

/** The account's orders and its record, each as the entry left it. */
function lastRecords({ outcome }: Entry, account: AccountId) {
  const orders = new Map<OrderId, Order>();
  let changed: Account | undefined;
  for (const event of isRejected(outcome) ? [] : outcome.events) {
    if (event.type === "OrderChanged" && event.order.accountId === account) {
      orders.set(event.order.id, event.order);
    }
    if (event.type === "AccountChanged" && event.account.id === account) changed = event.account;
  }
  return { orders: [...orders.values()], changed };
}

const CASH = "cash:";

/** Those the entry may mean something to. */
export function accountsIn({ outcome }: Entry): readonly AccountId[] {
  const found = new Set<AccountId>();
  for (const event of isRejected(outcome) ? [] : outcome.events) {
    switch (event.type) {
      case "OrderChanged":
        found.add(event.order.accountId);
        break;
      case "PositionChanged":
        found.add(event.position.accountId);
        break;
      case "AccountChanged":
        found.add(event.account.id);
        break;
      case "AlertRaised":
        found.add(event.alert.accountId);
        break;
      case "Posted":
        for (const name of [event.posting.from, event.posting.to]) {
          if (name.startsWith(CASH)) found.add(accountId(name.slice(CASH.length)));
        }
        break;
      default:
    }
  }
  return [...found];
}
