// The exchange's health: whether it is open, how far the journal is, what is signed, and how many
// requests were refused.
// Invariant: figures are the node's own that answers.
import { answered } from "@firstprint/sdk";
import { Shown } from "../../parts/note.tsx";
import { Question, useReading } from "../../query.ts";
import { exchange } from "../../session.ts";
import { amount, day, percent, time } from "../../words.ts";

export const health = new Question(
  async () => {
    const ask = exchange.value;
    const [status, refusals, upkeep, checkpoint] = await Promise.all([
      answered(ask.GET("/api/status")),
      answered(ask.GET("/api/admin/refusals")),
      // It asks the database: without it the rest is shown all the same.
      answered(ask.GET("/api/admin/upkeep")).catch(() => undefined),
      // None is signed in the first moments of an exchange.
      answered(ask.GET("/api/checkpoint")).catch(() => undefined),
    ]);
    const signed = Number(checkpoint?.data.note.split("\n")[1]);
    return {
      ...status,
      refusals: refusals.data,
      upkeep: upkeep?.data,
      signed: Number.isFinite(signed) ? signed : undefined,
    };
  },
  { everySeconds: 5, isPrivate: true },
);

const modes = {
  starting: "starting: it takes nothing yet",
  standby: "standing by: another node leads",
  follower: "this node only reads",
  open: "open",
  cancel_only: "halted: it takes cancels only",
  halted: "halted: it takes cancels only",
} as const;

export function Health() {
  const reading = useReading(health, []);
  return (
    <section class="card" aria-labelledby="health">
      <h2 id="health">Health</h2>
      <Shown reading={reading} room="short">
        {(now) => {
          const lag = now.sequence - now.durableSequence;
          return (
            <dl class="facts">
              <Fact name="Trading" words={modes[now.mode]} isBad={now.mode !== "open"} />
              <Fact
                name="Journal"
                words={`${amount(now.durableSequence)} entries are durable, ${
                  lag === 0 ? "none waits" : `${amount(lag)} wait`
                }`}
                isBad={lag > 10_000}
              />
              {now.lagMillis !== null && (
                <Fact
                  name="Behind the leader"
                  words={`${amount(now.lagMillis / 1000)} s`}
                  isBad={now.lagMillis > 5_000}
                />
              )}
              <Fact name="Last checkpoint" words={signedWords(now.signed, now.durableSequence)} />
              {now.upkeep !== undefined && <Kept {...now.upkeep} />}
              <Fact name="Refused here" words={refusedWords(now.refusals)} />
              <Fact
                name="Room used"
                words={percent(100 * now.capacityUsed)}
                isBad={now.capacityUsed > 0.8}
              />
              <Fact
                name="Its clock"
                words={`${at(now.engineTime)}${now.clock === "sandbox" ? ", a sandbox" : ""}`}
              />
              <Fact name="Version" words={now.version} />
            </dl>
          );
        }}
      </Shown>
    </section>
  );
}

function signedWords(signed: number | undefined, durable: number): string {
  if (signed === undefined) return "none is signed yet";
  const since = durable - signed;
  const more = since <= 0 ? "everything" : `${amount(since)} entries since`;
  return `signed up to entry ${amount(signed)}, ${more}`;
}

interface Upkeep {
  readonly lastBackupAt: string | null;
  readonly snapshot: Reached | null;
  readonly archive: Reached | null;
  readonly copies: readonly Copy[] | null;
}

interface Copy {
  readonly name: string;
  readonly state: string;
  readonly synchronous: boolean;
  readonly lagMillis: number;
}

interface Reached {
  readonly sequence: number;
  readonly entryTime: string;
}

/** The means to restore the exchange, and the copies of its database. */
const Kept = ({ lastBackupAt, snapshot, archive, copies }: Upkeep) => (
  <>
    <Fact
      name="Last backup"
      words={lastBackupAt === null ? "none from this node’s folder" : `begun ${at(lastBackupAt)}`}
    />
    <Fact name="Last snapshot" words={reachedWords(snapshot)} />
    <Fact name="Archive" words={reachedWords(archive)} />
    <Fact
      name="Copies of the database"
      words={copies === null ? "this node may not see them" : copiesWords(copies)}
      isBad={copies?.some(isFarBehind) === true}
    />
  </>
);

const isFarBehind = ({ state, lagMillis }: Copy): boolean =>
  state !== "streaming" || lagMillis > 5_000;

const at = (instant: string): string => `${day(instant)}, ${time(instant).split(", ").at(-1)} UTC`;

const reachedWords = (reached: Reached | null): string =>
  reached === null
    ? "none yet"
    : `up to entry ${amount(reached.sequence)}, of ${at(reached.entryTime)}`;

const copiesWords = (copies: readonly Copy[]): string =>
  copies.length === 0 ? "none" : copies.map(copyWords).join("; ");

function copyWords({ name, state, synchronous, lagMillis }: Copy): string {
  const stream = state === "streaming" ? "" : `${state}, `;
  const wait = synchronous ? ", commits wait for it" : "";
  return `${name}: ${stream}${amount(lagMillis / 1000)} s behind${wait}`;
}

const MOST_CODES = 3;

/** Since the node started: "12 requests, most RATE_LIMITED (9), INVALID_REQUEST (3)". */
function refusedWords({ total, byCode }: Refusals): string {
  if (total === 0) return "no request since this node started";
  const codes = Object.entries(byCode)
    .sort(([, one], [, other]) => other - one)
    .slice(0, MOST_CODES)
    .map(([code, count]) => `${code} (${amount(count)})`);
  return `${amount(total)} since this node started: ${codes.join(", ")}`;
}

interface Refusals {
  readonly total: number;
  readonly byCode: Readonly<Record<string, number>>;
}

interface FactProps {
  readonly name: string;
  readonly words: string;
  readonly isBad?: boolean;
}

const Fact = ({ name, words, isBad = false }: FactProps) => (
  <div>
    <dt>{name}</dt>
    <dd class={isBad ? "figures bad-words" : "figures"}>{words}</dd>
  </div>
);
