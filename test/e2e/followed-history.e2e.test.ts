// A leader, two followers, their three databases and a proxy before the nodes, killed, paused and
// delayed in turn, while clients write, read at each node and through the proxy, and revoke keys.
//   FIRSTPRINT_FOLLOWED_ROUNDS=20 node --test test/e2e/followed-history.e2e.test.ts
// FIRSTPRINT_FOLLOWED_ONE_IN: a round has one in so many of these acts, the next round the next.
// Invariant tested: an answer shows exactly the entries that its sequence says; a client that
// passes on what it was told never sees time go back; nothing that only a key may read is more
// than a second old, so a key that was revoked is refused everywhere a second later.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { type Exchange, type Reply, replyOf, textAt } from "#test/support/exchange.ts";
import { sizeOfRun } from "#test/support/size-of-run.ts";
import { atLeast, type Followed, sequenceOf, startFollowed } from "./followed.ts";
import { ReverseProxy, whyNotProxied } from "./reverse-proxy.ts";
import { until } from "./until.ts";

/** Dollars. */
const BEGINNING = 250;
const ROUNDS = sizeOfRun("FIRSTPRINT_FOLLOWED_ROUNDS", 1);
const ONE_IN = sizeOfRun("FIRSTPRINT_FOLLOWED_ONE_IN", 1);
const READERS = 4;
const READ_PAUSE_MILLIS = 50;
const MOST_AGE_MILLIS = 1_000;
/** A client gives up on an answer. */
const PATIENCE_MILLIS = 5_000;

/** A deposit that was acknowledged: its entry, and when that was. */
interface Deposit {
  readonly sequence: number;
  readonly cash: number;
  readonly atMillis: number;
}

interface Read {
  readonly node: number;
  readonly sentMillis: number;
  /** The least sequence that it asked for. */
  readonly asked: number;
  readonly told: number;
  readonly cash: number;
}

class World {
  readonly followed: Followed;
  /** In front of all nodes; undefined where none is installed. */
  readonly proxy: ReverseProxy | undefined;
  readonly reads: Read[] = [];
  readonly deposits: Deposit[] = [];
  readonly faults: string[] = [];
  revoked = 0;
  refused = 0;
  isOver = false;
  readonly #account: string;
  readonly #key: string;

  constructor(followed: Followed, proxy: ReverseProxy | undefined, account: string, key: string) {
    this.followed = followed;
    this.proxy = proxy;
    this.#account = account;
    this.#key = key;
  }

  get nodes(): readonly Exchange[] {
    return [this.followed.leader, ...this.followed.followers];
  }

  /** Where a client asks: each node, and the proxy as the last. */
  get places(): readonly (Exchange | ReverseProxy)[] {
    return this.proxy === undefined ? this.nodes : [...this.nodes, this.proxy];
  }

  /** One deposit of a dollar after another; its key finds out what became of one in doubt. */
  async write(): Promise<void> {
    for (let count = 1; !this.isOver; ) {
      const headers = { "idempotency-key": `deposit-${count}` };
      const path = `/api/admin/accounts/${this.#account}/funding`;
      const { leader } = this.followed;
      const said = await patiently(leader.post(path, { amount: "1" }, { admin: true, headers }));
      if (said?.status === 200) {
        const cash = Number(textAt(said.body, "data", "cash"));
        this.deposits.push({ sequence: sequenceOf(said), cash, atMillis: performance.now() });
        count += 1;
      }
      await sleep(50);
    }
  }

  /** Half of the readers pass on what they were told; the others ask for whatever there is. */
  async read(number: number): Promise<void> {
    const passesOn = number % 2 === 0;
    let seen = 0;
    for (let count = number; !this.isOver; count += 1) {
      const node = count % this.places.length;
      const sentMillis = performance.now();
      const asked = passesOn ? seen : 0;
      const minimum = asked > 0 ? atLeast(asked).headers : {};
      const place = this.places[node] ?? assert.fail("there is one");
      const said = await patiently(account(place, this.#key, minimum));
      if (said?.status === 200) {
        const cash = Number(textAt(said.body, "data", "cash"));
        const told = sequenceOf(said);
        this.reads.push({ node, sentMillis, asked, told, cash });
        seen = Math.max(seen, told);
      } else {
        this.refused += 1;
        // A proxy says so where no node answers, or one ended in the middle.
        const refusals = place instanceof ReverseProxy ? [502, 503, 504] : [503];
        if (said !== undefined && !refusals.includes(said.status))
          this.faults.push(`${said.status} ${said.text}`);
      }
      await sleep(READ_PAUSE_MILLIS);
    }
  }

  /** Keys that are made, used, revoked, and used on. */
  async revoke(): Promise<void> {
    const { leader } = this.followed;
    for (let count = 0; !this.isOver; count += 1) {
      const made = await this.#make(count);
      if (made === undefined) continue;
      await sleep(100);
      const path = `/api/trading/keys/${made.id}`;
      const gone = await patiently(leader.request("DELETE", path, undefined, { key: this.#key }));
      if (gone?.status !== 200) continue;
      const overMillis = performance.now() + MOST_AGE_MILLIS;
      this.revoked += 1;
      await Promise.all(this.places.map((place) => this.#use(place, made.key, overMillis)));
    }
  }

  async #make(count: number): Promise<{ readonly id: string; readonly key: string } | undefined> {
    const body = { label: `key ${count}`, permissions: ["read:portfolio"] };
    const { leader } = this.followed;
    const made = await patiently(leader.post("/api/trading/keys", body, { key: this.#key }));
    if (made?.status !== 200) {
      await sleep(50);
      return undefined;
    }
    return { id: textAt(made.body, "data", "id"), key: textAt(made.body, "data", "secret") };
  }

  async #use(place: Exchange | ReverseProxy, key: string, overMillis: number): Promise<void> {
    while (performance.now() < overMillis + 1_500) {
      const sentMillis = performance.now();
      const said = await patiently(account(place, key));
      if (said?.status === 200 && sentMillis > overMillis) {
        this.faults.push(`a key served ${Math.round(sentMillis - overMillis)} ms too long`);
      }
      await sleep(50);
    }
  }
}

async function account(
  { url }: Pick<Exchange, "url">,
  key: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const authorization = `Bearer ${key}`;
  return replyOf(
    await fetch(`${url}/api/trading/account`, { headers: { ...headers, authorization } }),
  );
}

/** Undefined where nobody answers in time. */
const patiently = (asked: Promise<Reply>): Promise<Reply | undefined> =>
  Promise.race([asked.catch(() => undefined), sleep(PATIENCE_MILLIS, undefined, { ref: false })]);

async function paused(part: { signal(name: NodeJS.Signals): void }, millis: number): Promise<void> {
  part.signal("SIGSTOP");
  await sleep(millis);
  part.signal("SIGCONT");
}

/** Each process in turn, by name. */
function actsOn({ followed: { primary, replicas, leader, followers }, proxy }: World) {
  const killed = (node: Exchange) => async () => {
    await node.kill();
    await sleep(300);
    await node.up({ PORT: new URL(node.url).port });
  };
  const nodes = [leader, ...followers].flatMap((node, number) => [
    [`node ${number} killed`, killed(node)] as const,
    [`node ${number} paused`, () => paused(node, 1_700)] as const,
  ]);
  const servers = [primary, ...replicas].map(
    (server, number) => [`database ${number} paused`, () => paused(server, 1_700)] as const,
  );
  const delays = replicas.flatMap((replica, number) =>
    [300, 1_500, 4_000].map(
      (millis) =>
        [
          `replica ${number} ${millis} ms behind`,
          async () => {
            await replica.delayBy(millis);
            await sleep(3_000);
            await replica.delayBy(0);
          },
        ] as const,
    ),
  );
  const crashes = [primary, ...replicas].map(
    (server, number) =>
      [
        `database ${number} crashed`,
        async () => {
          await server.crash();
          await server.up();
        },
      ] as const,
  );
  return [...nodes, ...servers, ...delays, ...crashes, ...proxyActs(proxy)];
}

function proxyActs(proxy: ReverseProxy | undefined) {
  if (proxy === undefined) return [];
  const killed = async (): Promise<void> => {
    await proxy.end("SIGKILL");
    await proxy.up();
  };
  return [["proxy killed", killed] as const, ["proxy paused", () => paused(proxy, 1_700)] as const];
}

/** The entries that brought the account money: what it began with, then a dollar each. */
async function depositsIn({ primary }: Followed, account: string): Promise<readonly number[]> {
  const client = new Client(primary.connection);
  await client.connect();
  const { rows } = await client.query<{ sequence: string }>(
    `SELECT sequence FROM journal WHERE action = 'account.funded' AND concerns = $1
     ORDER BY sequence`,
    [account],
  );
  await client.end();
  return rows.map(({ sequence }) => Number(sequence));
}

/** How many of the sorted numbers are at most `bound`. */
function countUpTo(sorted: readonly number[], bound: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) <= bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

function wrongIn({ reads, deposits }: World, entries: readonly number[]): readonly string[] {
  const wrong: string[] = [];
  const acknowledgedAt = deposits.map(({ atMillis }) => atMillis);
  for (const { node, sentMillis, asked, told, cash } of reads) {
    if (told < asked) wrong.push(`node ${node} told ${told} where ${asked} was asked for`);
    const count = countUpTo(entries, told);
    const due = count === 0 ? 0 : BEGINNING + count - 1;
    if (cash !== due) wrong.push(`node ${node} showed ${cash} and told ${told}, which has ${due}`);
    const known = deposits[countUpTo(acknowledgedAt, sentMillis - MOST_AGE_MILLIS) - 1];
    if (known === undefined || cash >= known.cash) continue;
    wrong.push(`node ${node} showed ${cash}, and ${known.cash} was there a second before`);
  }
  return wrong;
}

test("no client sees time go back, and nothing that only a key may read is old", async (t) => {
  const followed = await startFollowed(t, 2, 0, { FIRSTPRINT_TRUSTED_PROXIES: "127.0.0.1/32" });
  const { id, key } = await followed.leader.trader("seller", String(BEGINNING));
  const why = whyNotProxied("haproxy.cfg");
  if (why !== undefined) t.diagnostic(`without a proxy: ${why}`);
  const proxy =
    why === undefined ? await ReverseProxy.start(t, "haproxy.cfg", followed) : undefined;
  const world = new World(followed, proxy, id, key);
  const working = Promise.all([
    world.write(),
    world.revoke(),
    ...Array.from({ length: READERS }, (_, number) => world.read(number)),
  ]);
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const acts = actsOn(world).filter((_, at) => (at + round) % ONE_IN === 0);
      for (const [name, act] of acts) {
        const readsBefore = world.reads.length;
        await act();
        await until(`all nodes serve after ${name}`, async () => {
          const ready = await Promise.all(
            world.places.map((place) => patiently(account(place, key))),
          );
          return ready.every((said) => said?.status === 200);
        });
        t.diagnostic(`${name}: ${world.reads.length - readsBefore} reads`);
      }
    }
    // How much comes between the acts is the machine's; the laws are judged on no less than this.
    const isEnough = (): boolean =>
      world.revoked > 3 && world.deposits.length > 100 && world.reads.length > 500;
    await until("enough was written, read and revoked", async () => isEnough());
  } finally {
    world.isOver = true;
    await working;
  }
  const { reads, deposits, revoked, refused, faults } = world;
  t.diagnostic(
    `${deposits.length} deposits, ${reads.length} reads, ${refused} refused, ${revoked} revoked`,
  );
  assert.deepEqual([...faults, ...wrongIn(world, await depositsIn(followed, id))].slice(0, 10), []);
  const servedBy = new Set(reads.map(({ node }) => node));
  assert.equal(servedBy.size, world.places.length);
});
