// A second exchange that goes on from where the first one stands.
// Invariant: records are shared, being never changed; what is drawn from them is drawn anew.
import { putAccount, putBalance, putChainPoint, putMarket, putPosition } from "#core/fold.ts";
import { putKey } from "#core/keys/put-key.ts";
import { putListing } from "#core/leaving.ts";
import { putOrders } from "#core/order/put-order.ts";
import { putRules } from "#core/put-rules.ts";
import { State } from "#core/state.ts";

/** Of an exchange that knows nothing but accounts, money, prints, markets and trading. */
export function fork(state: State): State {
  const other = new State();
  other.exchange = state.exchange;
  other.fillCount = state.fillCount;
  other.lastTimeMillis = state.lastTimeMillis;
  other.deciderVersion = state.deciderVersion;
  putRules(other, state.rules);
  for (const account of state.accounts.values()) putAccount(other, account);
  for (const key of state.keys.values()) putKey(other, key);
  for (const [name, balance] of state.ledger) putBalance(other, name, balance);
  for (const market of state.markets.values()) putMarket(other, market);
  putOrders(other, [...state.orders.values()]);
  for (const [id, atMillis] of state.done) other.done.set(id, atMillis);
  for (const [id, accountId] of state.listings) putListing(other, id, accountId);
  for (const [id, atMillis] of state.idle) other.idle.set(id, atMillis);
  const { orderCount, lastRank, retiredNumber } = state;
  Object.assign(other, { orderCount, lastRank, retiredNumber });
  for (const position of state.positions.values()) putPosition(other, position);
  for (const [account, volume] of state.dayVolumes) other.dayVolumes.set(account, volume);
  for (const point of state.chainPoints.values()) putChainPoint(other, point);
  other.marginQueue.clear();
  return other;
}
