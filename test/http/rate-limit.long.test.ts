// The rate limiter against its promise: burst, rate, cost, headers, and memory that stays bounded.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { burstOf, RateLimiter, type RatePolicy, rateHeaders } from "#http/server/rate-limit.ts";

class Clock {
  millis = 0;
  readonly limiter = new RateLimiter(() => this.millis);
}

const policy = (ratePerMinute: number, bucket = "a"): RatePolicy => ({
  name: "key",
  bucket,
  ratePerMinute,
});

test("the burst is a tenth of the minute, at least 10, and 60 for an address", () => {
  const bursts = (name: RatePolicy["name"]) =>
    [1, 60, 100, 600, 6_000].map((ratePerMinute) => burstOf({ name, ratePerMinute }));
  assert.deepEqual(bursts("key"), [10, 10, 10, 60, 600]);
  assert.deepEqual(bursts("admin-secret"), [10, 10, 10, 60, 600]);
  assert.deepEqual(bursts("ip"), [60, 60, 60, 60, 600]);
  assert.deepEqual(bursts("loopback"), [60, 60, 60, 60, 600]);
});

test("an address may spend a newcomer's minute at once, and is never more than 11 s away", () => {
  const clock = new Clock();
  const address: RatePolicy = { name: "ip", bucket: "a", ratePerMinute: 60 };
  for (let sent = 0; sent < 60; sent += 1) {
    assert.equal(clock.limiter.charge(address, 1).allowed, true, `request ${sent}`);
  }
  assert.equal(clock.limiter.charge(address, 1).retryAfterSeconds, 2);
  let last = clock.limiter.charge(address, 1);
  for (let sent = 0; sent < 1_000; sent += 1) last = clock.limiter.charge(address, 1);
  assert.equal(last.retryAfterSeconds, 11, "a thousand refusals cost what ten units do");
  clock.millis += 11_000;
  assert.equal(clock.limiter.charge(address, 1).allowed, true);
});

test("after Retry-After of silence the same request passes, whatever was sent before", () => {
  const name = fc.constantFrom<RatePolicy["name"]>("ip", "key");
  const step = fc.record({
    wait: fc.integer({ min: 0, max: 1_500 }),
    cost: fc.constantFrom(1, 2, 5, 10),
  });
  fc.assert(
    fc.property(name, fc.constantFrom(1, 60, 90, 600), fc.array(step), (named, rate, steps) => {
      const clock = new Clock();
      const charged = { name: named, bucket: "a", ratePerMinute: rate };
      for (const { wait, cost } of steps) {
        clock.millis += wait;
        const { allowed, retryAfterSeconds } = clock.limiter.charge(charged, cost);
        if (allowed) continue;
        clock.millis += retryAfterSeconds * 1_000;
        assert.equal(clock.limiter.charge(charged, cost).allowed, true);
      }
    }),
    { numRuns: 2_000 },
  );
});

test("a burst passes at once, the next one waits for one unit to come back", () => {
  const clock = new Clock();
  const passed = Array.from({ length: 10 }, () => clock.limiter.charge(policy(60), 1));
  assert.ok(passed.every(({ allowed }) => allowed));
  assert.deepEqual(
    passed.map(({ remaining }) => remaining),
    [9, 8, 7, 6, 5, 4, 3, 2, 1, 0],
  );
  assert.equal(passed.at(-1)?.resetSeconds, 10);

  const refused = clock.limiter.charge(policy(60), 1);
  assert.equal(refused.allowed, false);
  assert.equal(refused.remaining, 0);
});

test("a refused request costs too, and retryAfterSeconds of silence always suffice", () => {
  const clock = new Clock();
  for (let sent = 0; sent < 10; sent += 1) clock.limiter.charge(policy(60), 1);
  const first = clock.limiter.charge(policy(60), 1);
  const second = clock.limiter.charge(policy(60), 1);
  assert.equal(first.retryAfterSeconds, 2);
  assert.equal(second.retryAfterSeconds, 3);

  let last = second;
  for (let sent = 0; sent < 1_000; sent += 1) last = clock.limiter.charge(policy(60), 1);
  assert.equal(last.retryAfterSeconds, 11, "the debt is at most a second burst");
  clock.millis += 10_900;
  assert.equal(clock.limiter.charge(policy(60), 1).allowed, false);
  clock.millis += 11_000;
  assert.equal(clock.limiter.charge(policy(60), 1).allowed, true);
});

test("whatever is sent, no window serves more than the burst and what its time brought", () => {
  const step = fc.record({
    wait: fc.integer({ min: 0, max: 3_000 }),
    cost: fc.constantFrom(1, 2, 5),
  });
  fc.assert(
    fc.property(fc.constantFrom(60, 90, 600), fc.array(step, { maxLength: 200 }), (rate, steps) => {
      const clock = new Clock();
      const served: { at: number; cost: number }[] = [];
      for (const { wait, cost } of steps) {
        clock.millis += wait;
        const { allowed, retryAfterSeconds } = clock.limiter.charge(policy(rate), cost);
        assert.equal(allowed, retryAfterSeconds === 0);
        if (allowed) served.push({ at: clock.millis, cost });
      }
      for (const [first, { at: from }] of served.entries()) {
        let total = 0;
        for (const { at, cost } of served.slice(first)) {
          total += cost;
          const most = burstOf(policy(rate)) + ((at - from) * rate) / 60_000;
          assert.ok(total <= most + 1e-4, `${total} served in ${at - from} ms at ${rate}`);
        }
      }
    }),
  );
});

test("a dearer request spends its cost, a free one nothing, and buckets are apart", () => {
  const { limiter } = new Clock();
  assert.equal(limiter.charge(policy(60), 5).remaining, 5);
  assert.equal(limiter.charge(policy(60), 0).remaining, 5);
  assert.equal(limiter.charge(policy(60), 5).remaining, 0);
  assert.equal(limiter.charge(policy(60), 0).allowed, true);
  assert.equal(limiter.charge(policy(60), 2).allowed, false);
  assert.equal(limiter.charge(policy(60, "b"), 5).remaining, 5);
});

test("full buckets are forgotten, and a flood of addresses cannot fill the memory", () => {
  const clock = new Clock();
  for (let caller = 0; caller < 1_000; caller += 1) {
    clock.limiter.charge(policy(60, `caller ${caller}`), 1);
  }
  assert.equal(clock.limiter.size, 1_000);
  clock.millis += 60_000;
  for (let sent = 0; sent < 1_000; sent += 1) clock.limiter.charge(policy(6_000, "steady"), 1);
  assert.equal(clock.limiter.size, 1);

  for (let caller = 0; caller < 150_000; caller += 1) {
    clock.limiter.charge(policy(60, `flood ${caller}`), 1);
  }
  assert.ok(clock.limiter.size <= 100_000, `${clock.limiter.size} buckets`);
});

test("both headers name the policy, in the structured form of the draft", () => {
  const { limiter } = new Clock();
  const charged = limiter.charge(policy(60), 1);
  assert.deepEqual(rateHeaders(policy(60), charged), {
    "ratelimit-policy": '"key";q=60;w=60',
    ratelimit: '"key";r=9;t=1',
  });
});
