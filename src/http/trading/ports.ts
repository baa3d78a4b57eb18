// The functions the trading endpoints need from outside: durable facts, history, new secrets, the
// clock.
// Invariant: nothing here is undurable; the ports are read anew at every request.
import type { KeyId, WebhookId } from "#base/ids.ts";
import type { Tick } from "#base/price.ts";
import type { Terms } from "#contract/terms.ts";
import type { Listing } from "#core/market/listing-record.ts";
import type { Engine } from "#engine/engine.ts";
import type { ExchangeView } from "#views/exchange.ts";
import type { NewSecret } from "../server/key-codec.ts";
import type { Feed } from "../stream/feed.ts";

export interface AuditVerification {
  readonly valid: boolean;
  readonly totalEntries: number;
  readonly brokenAt?: number;
  readonly reason?: string;
  /** Of the part that holds. */
  readonly head: string;
  readonly size: number;
  readonly stateHash: string;
  /** When the walk ended, Unix seconds by the exchange's clock; absent = now. */
  readonly checkedAt?: number;
  /** Releases whose stored first prints are not those the journal accepted. */
  readonly damagedReleases: readonly string[];
}

export interface WebhookProgress {
  readonly delivered: number;
  readonly attempts: number;
  readonly failingSinceMillis: number | null;
  readonly nextAttemptMillis: number | null;
}

export interface DeliveryAttempt {
  readonly number: number;
  readonly sequence: number;
  readonly messageId: string;
  readonly attempt: number;
  readonly atMillis: number;
  readonly tookMillis: number;
  readonly status: number | null;
  readonly fault: string | null;
}

interface WebhookPort {
  /** An address in its one form, or the sentence that says what it must be. */
  readAddress(text: string): { readonly url: string } | { readonly wrong: string };
  /** At random. */
  draw(): { readonly id: WebhookId; readonly salt: string };
  secretOf(salt: string): string;
  /** Undefined where it has never begun. */
  progressOf(id: WebhookId): WebhookProgress | undefined;
  /** Newest first. */
  attempts(
    id: WebhookId,
    before: number | undefined,
    limit: number,
  ): Promise<readonly DeliveryAttempt[]>;
}

export interface TradingPorts {
  /** May be replaced when the node reloads: taken from here each time, never kept. */
  readonly view: ExchangeView;
  readonly engine: Pick<Engine, "status" | "history" | "isCurrent">;
  /** A market that could be listed under this id; undefined where there can be none. */
  listingFor(marketId: string): Listing | undefined;
  /** The same of any layer or strike, which a block trade could list. */
  negotiatedListing(marketId: string): Listing | undefined;
  /** The reference limit price of protection with these terms now; undefined = there is none. */
  limitTickFor(terms: Terms): Tick | undefined;
  /** The whole journal and all first prints, judged; slow at first, and one walk at a time. */
  verification(): Promise<AuditVerification>;
  /** How many entries the next verification has to prove. */
  unproven(): number;
  /** Of each account's own events. */
  readonly ownFeed: Pick<Feed, "open">;
  newSecret(): NewSecret;
  readonly webhooks: WebhookPort;
  keyUse: { lastSeconds(key: KeyId): number | null };
  /** The most a key may be given. */
  readonly maxKeyRatePerMinute: number;
}

export const nowSeconds = ({ engine }: Pick<TradingPorts, "engine">): number =>
  Math.floor(engine.status().engineTimeMillis / 1000);
