// The intake and its validation on made-up files: what is held, what an operator's word does, what
// comes through meanwhile. The engine, the importer and PostgreSQL are real.
import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { type TestContext, test } from "node:test";
import { nodeId, type ReleaseId } from "#base/ids.ts";
import { addMonths, formatMonth, type Month, monthEndMillis, monthOf } from "#base/month.ts";
import { printNumber } from "#base/print-value.ts";
import type { Actor, Command } from "#core/command.ts";
import type { AcceptedRelease, OperatorName, QuarantinedRelease } from "#core/records.ts";
import { releaseSubject } from "#core/words/word.ts";
import { builtInStates } from "#geo/states.ts";
import type { Ingested } from "#ingest/releases/intake.ts";
import { ReleaseIntake } from "#ingest/releases/intake.ts";
import type { ReleaseMeta } from "#ingest/releases/sent-as.ts";
import { openExchange } from "#test/sample/exchange.ts";

const FIRST = monthOf(2024, 1);
const DAY_MILLIS = 86_400_000;
const published = (last: Month): number => monthEndMillis(last) + 15 * DAY_MILLIS;

/** Every state to this month, 0.3 % up a month, each value through `change`. */
function stateFile(
  last: Month,
  change: (value: number, at: number, month: Month) => number,
): string {
  const months = Array.from({ length: last - FIRST + 1 }, (_, at) => addMonths(FIRST, at));
  const ends = months.map((month) =>
    new Date(monthEndMillis(month) - 1).toISOString().slice(0, 10),
  );
  const lines = builtInStates.map(({ name }, at) => {
    const values = months.map((month) => {
      const value = (200_000.123_456_789 + 1_000 * at) * (1 + 0.003 * (month - FIRST));
      return String(change(value, at, month));
    });
    return [String(at + 3), String(at), name, "state", "", ...values].join(",");
  });
  const header = ["RegionID", "SizeRank", "RegionName", "RegionType", "StateName", ...ends];
  return `${[header.join(","), ...lines].join("\n")}\n`;
}

const same = (value: number): number => value;

class IntakeInOneTerm {
  readonly #intake: ReleaseIntake;
  readonly #exchange: Awaited<ReturnType<typeof openExchange>>;
  operator: Actor = { type: "root" };

  private constructor(exchange: Awaited<ReturnType<typeof openExchange>>, intake: ReleaseIntake) {
    this.#exchange = exchange;
    this.#intake = intake;
  }

  /** June 2024 is known; the second operator is an account. */
  static async open(t: TestContext, known: readonly Month[] = [monthOf(2024, 6)]) {
    const exchange = await openExchange(t);
    const { releases } = exchange.ports;
    assert.ok(releases instanceof ReleaseIntake);
    const intake = new IntakeInOneTerm(exchange, releases);
    await exchange.ports.setTime(published(monthOf(2025, 12)));
    for (const last of known) {
      const first = intake.release(await intake.send(stateFile(last, same), last));
      assert.equal("status" in first, false, "the first release passes");
    }
    const opened = await intake.submit({
      type: "OpenAccount",
      name: "olga",
      role: "operator",
      address: "0xolga",
      key: {
        label: "first",
        prefix: "fp_test_olga",
        digest: "olga",
        permissions: ["admin:releases"],
        ratePerMinute: null,
        expiresAtSeconds: null,
      },
    });
    assert.ok("outcome" in opened);
    const [key] = exchange.view.keys.values();
    assert.ok(key !== undefined);
    return { intake, olga: { type: "key", accountId: key.accountId, keyId: key.id } as const };
  }

  get view() {
    return this.#exchange.view;
  }

  submit(command: Command) {
    const { operator: actor } = this;
    const { engine } = this.#exchange.ports;
    return engine.submit({ actor, command, requestId: "test", idempotency: null });
  }

  send(text: string, last: Month, more: Partial<ReleaseMeta> = {}): Promise<Ingested> {
    const meta: ReleaseMeta = {
      provider: "zillow",
      index: "zhvi",
      level: "state",
      publishedAtMillis: published(last),
      ...more,
    };
    const body = Readable.from([Buffer.from(text)]);
    return this.#intake.ingest(body, meta, (command) => this.submit(command));
  }

  approve(id: QuarantinedRelease["id"]): Promise<Ingested> {
    const { operator } = this;
    assert.ok(operator.type !== "system");
    const name: OperatorName = operator.type === "root" ? "root" : operator.accountId;
    return this.#intake.approve(id, name, (command) => this.submit(command));
  }

  release(answer: Ingested): AcceptedRelease | QuarantinedRelease {
    assert.ok(
      "release" in answer,
      JSON.stringify(answer, (_, value) => String(value)),
    );
    return answer.release;
  }

  held(answer: Ingested, ...codes: readonly string[]): QuarantinedRelease {
    const release = this.release(answer);
    assert.ok("status" in release && release.status === "quarantined");
    assert.deepEqual(
      release.reasons.map(({ code }) => code),
      codes,
    );
    return release;
  }

  newest(state: string): string {
    const print = this.#exchange.series.newest("zhvi", nodeId(state));
    assert.ok(print !== undefined);
    return `${formatMonth(print.month)} ${Math.round(printNumber(print.valueE15))}`;
  }
}

const july = monthOf(2024, 7);
const alabama = builtInStates[0]?.id ?? "";
/** The new month of Alabama and the state after it is a fifth lower: too many for one release. */
const fall = (value: number, at: number, month: Month): number =>
  at < 2 && month === july ? value * 0.8 : value;

/** The operators who have approved a release that is held. */
const voices = ({ view }: IntakeInOneTerm, id: ReleaseId) =>
  view.wordsAbout(releaseSubject(id)).map(({ by }) => by);

test("a fall beyond the limit is held until a second operator's word, then printed", async (t) => {
  const { intake, olga } = await IntakeInOneTerm.open(t);
  const before = intake.newest(alabama);
  const file = stateFile(july, fall);
  const held = intake.held(await intake.send(file, july), "MOVE_TOO_LARGE");
  const sequence = intake.view.sequence;
  assert.equal(
    intake.held(await intake.send(file, july), "MOVE_TOO_LARGE"),
    held,
    "the same bytes",
  );
  assert.equal(intake.view.sequence, sequence, "…leave no entry");
  assert.equal(intake.newest(alabama), before);

  intake.held(await intake.approve(held.id), "MOVE_TOO_LARGE");
  assert.deepEqual(voices(intake, held.id), ["root"]);
  assert.ok("failed" in (await intake.approve(held.id)), "not twice by the same");
  assert.equal(intake.newest(alabama), before);
  intake.operator = olga;
  const accepted = intake.release(await intake.approve(held.id));
  assert.ok("clearance" in accepted);
  assert.deepEqual(accepted.clearance?.approvedBy, ["root", olga.accountId]);
  assert.equal(accepted.firstPrints, builtInStates.length);
  assert.equal(intake.newest(alabama), "2024-07 162880");
  assert.equal(intake.view.quarantine.size, 0);
});

test("a provider that comes to write whole dollars is held once, and then taken", async (t) => {
  const { intake, olga } = await IntakeInOneTerm.open(t);
  const file = (last: Month) => stateFile(last, (value) => Math.round(value));
  const held = intake.held(await intake.send(file(july), july), "LAYOUT_CHANGED");
  assert.equal(held.reasons[0]?.message, "Values are written in whole dollars.");
  await intake.approve(held.id);
  intake.operator = olga;
  assert.ok("clearance" in intake.release(await intake.approve(held.id)));
  assert.equal(intake.newest(alabama), "2024-07 203600");
  const august = addMonths(july, 1);
  const next = intake.release(await intake.send(file(august), august));
  assert.equal("status" in next, false, "two people have seen the form");
});

test("what came meanwhile is judged anew: a reason that nobody saw holds it again", async (t) => {
  const { intake, olga } = await IntakeInOneTerm.open(t);
  const held = intake.held(await intake.send(stateFile(july, fall), july), "MOVE_TOO_LARGE");
  await intake.approve(held.id);
  const august = addMonths(july, 1);
  assert.equal(
    "status" in intake.release(await intake.send(stateFile(august, same), august)),
    false,
  );
  const printed = intake.newest(alabama);
  intake.operator = olga;
  const anew = intake.held(await intake.approve(held.id), "RESTATED", "STALE_FILE");
  assert.deepEqual(voices(intake, anew.id), []);
  await intake.approve(held.id);
  intake.operator = { type: "root" };
  const accepted = intake.release(await intake.approve(held.id));
  assert.equal(accepted.firstPrints, 0);
  assert.equal(intake.newest(alabama), printed, "a revision moves no first print");

  // The release of August stays the one that the next is held against.
  const stale = await intake.send(stateFile(july, same), july);
  intake.held(stale, "RESTATED", "STALE_FILE");
  // Values let through in July are known now, so a file that takes them back is held for that
  // alone.
  const september = addMonths(july, 2);
  const next = await intake.send(stateFile(september, same), september);
  intake.held(next, "RESTATED");
});

test("a rejected file may come again, and is judged by what is known then", async (t) => {
  const { intake } = await IntakeInOneTerm.open(t);
  const file = stateFile(july, same);
  const early = { publishedAtMillis: monthEndMillis(july) - 1 };
  const held = intake.held(await intake.send(file, july, early), "WRONG_MONTH");
  await intake.submit({ type: "RejectRelease", releaseId: held.id, reason: "a wrong date" });
  assert.equal(intake.view.quarantine.get(held.id)?.status, "rejected");
  const again = intake.held(await intake.send(file, july, early), "WRONG_MONTH");
  assert.equal(again.id, held.id);
  await intake.submit({ type: "RejectRelease", releaseId: held.id, reason: "still wrong" });
  const accepted = intake.release(await intake.send(file, july));
  assert.equal("status" in accepted, false);
  assert.equal(accepted.id, held.id);
});

test("regions of the release before, slipped units, and a declared method", async (t) => {
  const { intake } = await IntakeInOneTerm.open(t);
  const lines = stateFile(july, same).split("\n");
  const cut = (count: number): string => `${lines.slice(0, 52 - count).join("\n")}\n`;
  intake.held(await intake.send(cut(3), july), "REGIONS_MISSING");
  intake.held(
    await intake.send(
      stateFile(july, (value) => value / 10),
      july,
    ),
    "UNIT_SLIP",
  );
  const declared = { methodology: "zhvi/new" };
  const release = intake.release(await intake.send(cut(2), july, declared));
  assert.equal("status" in release, false, "two of 51 may be missing");
  assert.equal(release.methodologyVersion, "zhvi/new");
  assert.equal(release.methodologyChange, "declared");
  const august = addMonths(july, 1);
  const next = intake.release(await intake.send(stateFile(august, same), august));
  assert.equal(next.methodologyVersion, "zhvi/new");
  assert.equal(next.methodologyChange, undefined);
});

/** Another cut: growth differs by up to half a point a month, in each state its own way. */
const otherCut = (value: number, at: number, month: Month): number =>
  value * (1 + 0.005 * Math.sin(at + month / 4));

test("a file of another cut is held without a name, and refused by its name", async (t) => {
  const { intake } = await IntakeInOneTerm.open(t, [monthOf(2024, 12)]);
  const last = monthOf(2025, 1);
  const other = stateFile(last, otherCut);
  const named = (fileName: string) => intake.send(other, last, { fileName });
  const refused = await named("State_zhvi_uc_condo_tier_0.33_0.67_sm_sa_month.csv.gz");
  assert.ok("refusal" in refused);
  assert.equal(refused.refusal.code, "OTHER_CUT");
  assert.match(refused.refusal.message, /"zhvi uc_condo_tier_0.33_0.67_sm_sa".*"zhvi uc_sfrcondo/);
  assert.equal(intake.view.quarantine.size, 0);
  const held = intake.held(await named("states.csv"), "RESTATED");
  assert.equal(held.methodologyChange, "detected");
  await intake.submit({ type: "RejectRelease", releaseId: held.id, reason: "condos" });
  const own = await intake.send(stateFile(last, same), last, {
    fileName: "State_zhvi_uc_sfrcondo_tier_0.33_0.67_sm_sa_month.csv",
  });
  assert.equal("status" in intake.release(own), false);
});

test("a change of method that was declared is taken; later releases follow it", async (t) => {
  const { intake } = await IntakeInOneTerm.open(t, [monthOf(2024, 12)]);
  const last = monthOf(2025, 1);
  const declared = { methodology: "zhvi/2025" };
  const changed = intake.release(await intake.send(stateFile(last, otherCut), last, declared));
  assert.equal("status" in changed, false);
  assert.equal(changed.methodologyChange, "declared");
  const later = addMonths(last, 1);
  const next = intake.release(await intake.send(stateFile(later, otherCut), later));
  assert.equal("status" in next, false);
  assert.equal(next.methodologyVersion, "zhvi/2025");
});

test("one provider an index, also for what is released from quarantine", async (t) => {
  const { intake, olga } = await IntakeInOneTerm.open(t, []);
  const slipped = stateFile(july, (value) => value / 100);
  const held = intake.held(await intake.send(slipped, july), "UNIT_SLIP");
  await intake.approve(held.id);
  const other = { provider: "sample" } as const;
  intake.release(await intake.send(stateFile(july, same), july, other));
  intake.operator = olga;
  const answer = await intake.approve(held.id);
  assert.ok("refusal" in answer);
  assert.equal(answer.refusal.code, "OTHER_PROVIDER");
  assert.equal(intake.view.quarantine.get(held.id)?.status, "quarantined");
});
