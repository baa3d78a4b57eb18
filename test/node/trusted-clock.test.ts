// A machine's clock that is set, that stands while the machine sleeps, and that was wrong before.
// Invariant tested: time goes on at its pace whatever the clock does; what is far is asked for.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type ClockMark, TrustedClock } from "#node/trusted-clock.ts";

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
const START = Date.UTC(2026, 0, 1);

/** A machine; `pass` lets time go by, `sleep` while its processes stand still. */
class Machine {
  wall = START;
  #steady = 0;
  #uptime = 5_000;
  readonly told: string[] = [];

  clock(kept?: ClockMark): TrustedClock {
    const sources = {
      wall: () => this.wall,
      steady: () => this.#steady,
      uptime: () => this.#uptime,
    };
    const minutes = (millis: number): string => String(Math.round(millis / MINUTE));
    return new TrustedClock(
      sources,
      {
        jumped: (millis) => this.told.push(`jumped ${minutes(millis)}`),
        doubted: (millis) => this.told.push(`doubted ${minutes(millis)}`),
        trusted: () => this.told.push("trusted"),
      },
      kept,
    );
  }

  pass(millis: number): void {
    this.#steady += millis;
    this.sleep(millis);
  }

  sleep(millis: number): void {
    this.#uptime += millis;
    this.wall += millis;
  }
}

/** Whether the clock looks each second, or is asked for the time before it has looked. */
const ways: readonly ((clock: TrustedClock) => void)[] = [(clock) => clock.look(), () => undefined];

for (const [at, look] of ways.entries()) {
  const way = at === 0 ? "looked at" : "asked first";

  test(`a clock a day off is not followed, forward or back, and time goes on (${way})`, () => {
    for (const jump of [DAY, -DAY, 11 * MINUTE, -11 * MINUTE]) {
      const machine = new Machine();
      const clock = machine.clock();
      machine.pass(MINUTE);
      clock.look();
      machine.wall += jump;
      look(clock);
      assert.equal(clock.now(), START + MINUTE);
      for (let minutes = 0; minutes < 90; minutes += 1) {
        machine.pass(MINUTE);
        clock.look();
      }
      assert.equal(clock.now(), START + 91 * MINUTE);
      assert.equal(clock.offMillis, jump);
      assert.deepEqual(machine.told, [`doubted ${jump / MINUTE}`]);
      machine.wall -= jump;
      clock.look();
      assert.deepEqual([clock.isDoubted, clock.now()], [false, START + 91 * MINUTE]);
      assert.deepEqual(machine.told.slice(1), ["trusted"], "it was corrected, and nothing stands");
    }
  });

  test(`one that is set by minutes is followed and told (${way})`, () => {
    const machine = new Machine();
    const clock = machine.clock();
    for (const jump of [2 * MINUTE, -9 * MINUTE]) {
      machine.wall += jump;
      look(clock);
      assert.equal(clock.now(), machine.wall);
    }
    machine.wall += MINUTE / 2;
    look(clock);
    assert.equal(clock.now(), machine.wall);
    assert.deepEqual(machine.told, ["jumped 2", "jumped -9"]);
  });

  test(`a machine that slept for a day has no jump (${way})`, () => {
    const machine = new Machine();
    const clock = machine.clock();
    machine.sleep(DAY);
    look(clock);
    assert.equal(clock.now(), START + DAY);
    assert.deepEqual(machine.told, []);
  });
}

test("a word follows it, and a later jump is doubted again", () => {
  const machine = new Machine();
  const clock = machine.clock();
  machine.wall += DAY;
  clock.look();
  clock.accept();
  assert.deepEqual([clock.now(), clock.isDoubted], [START + DAY, false]);
  machine.wall -= DAY;
  clock.look();
  assert.equal(clock.now(), START + DAY);
  assert.deepEqual(machine.told, ["doubted 1440", "trusted", "doubted -1440"]);
});

test("the next process on the machine doubts what the one before doubted", () => {
  const machine = new Machine();
  const before = machine.clock();
  machine.wall += DAY;
  before.look();
  machine.pass(MINUTE);
  const after = machine.clock(before.mark);
  assert.deepEqual([after.now(), after.isDoubted], [START + MINUTE, true]);
  machine.pass(MINUTE);
  assert.equal(after.now(), START + 2 * MINUTE);
});

test("a machine that was started anew is asked nothing, where nothing contradicts it", () => {
  const machine = new Machine();
  const earlier = { trustedMillis: START - DAY, uptimeMillis: 9_000_000, isAccepted: false };
  const clock = machine.clock(earlier);
  assert.deepEqual([clock.now(), clock.isDoubted], [START, false]);
  clock.notBefore(START + 10 * MINUTE);
  clock.compare(START - 10 * MINUTE);
  assert.deepEqual(machine.told, []);
});

test("entries far ahead of it, or a database's clock, are counted on from", () => {
  for (const [doubt, from] of [
    [(clock: TrustedClock) => clock.notBefore(START + DAY), START + DAY],
    [(clock: TrustedClock) => clock.compare(START - DAY), START - DAY],
  ] as const) {
    const machine = new Machine();
    const clock = machine.clock();
    doubt(clock);
    machine.pass(MINUTE);
    assert.equal(clock.now(), from + MINUTE);
    assert.equal(machine.told.length, 1);
  }
});

test("a word stands against entries that are ahead, for the next process too", () => {
  const machine = new Machine();
  const clock = machine.clock();
  clock.notBefore(START + DAY);
  clock.accept();
  clock.notBefore(START + DAY);
  machine.clock(clock.mark).notBefore(START + DAY);
  assert.equal(clock.now(), START);
  assert.deepEqual(machine.told, ["doubted -1440", "trusted"]);
});
