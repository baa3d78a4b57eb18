// Halts: the exchange, a market or an account, with words that have to be typed.
// Invariant: nothing is halted before its words are typed in full; a halt never refuses a cancel.
import { answered } from "@firstprint/sdk";
import { useState } from "preact/hooks";
import { exchange } from "../../session.ts";
import { act } from "./acting.tsx";

type Scope = "exchange" | "market" | "account";
type Verb = "halt" | "resume";

interface Halt {
  readonly scope: Scope;
  readonly verb: Verb;
  readonly id: string;
  readonly reason: string;
}

async function give({ scope, verb, id, reason }: Halt): Promise<string> {
  const ask = exchange.value;
  const body = { reason };
  const params = { path: { id } };
  const done = verb === "halt" ? "takes cancels only" : "trades again";
  if (scope === "exchange") {
    const asked =
      verb === "halt"
        ? ask.POST("/api/admin/halt", { body })
        : ask.POST("/api/admin/resume", { body });
    await answered(asked);
    return `The exchange ${done}.`;
  }
  if (scope === "market") {
    const asked =
      verb === "halt"
        ? ask.POST("/api/admin/markets/{id}/pause", { params, body })
        : ask.POST("/api/admin/markets/{id}/resume", { params, body });
    await answered(asked);
    return `${id} ${done}.`;
  }
  const asked =
    verb === "halt"
      ? ask.POST("/api/admin/accounts/{id}/halt", { params, body })
      : ask.POST("/api/admin/accounts/{id}/resume", { params, body });
  await answered(asked);
  return `${id} ${done}.`;
}

const scopes: Readonly<Record<Scope, string>> = {
  exchange: "The whole exchange",
  market: "One market",
  account: "One account",
};

const wordsOf = ({ scope, verb, id }: Halt): string =>
  `${verb} ${scope === "exchange" ? "the exchange" : id.trim()}`;

const fresh: Halt = { scope: "exchange", verb: "halt", id: "", reason: "" };

export function Halts() {
  const [halt, setHalt] = useState(fresh);
  const [typed, setTyped] = useState("");
  const change = (changed: Partial<Halt>): void => {
    setHalt({ ...halt, ...changed });
    setTyped("");
  };
  const due = wordsOf(halt);
  const isNamed = halt.scope === "exchange" || halt.id.trim() !== "";
  const isTyped = isNamed && typed.trim() === due && halt.reason.trim() !== "";
  const onSubmit = (event: Event): void => {
    event.preventDefault();
    if (!isTyped) return;
    const given = { ...halt, id: halt.id.trim(), reason: halt.reason.trim() };
    void act(`Your word “${due}”`, () => give(given)).then(() => {
      setHalt(fresh);
      setTyped("");
    });
  };
  return (
    <section class="card" aria-labelledby="halts">
      <h2 id="halts">Halt or resume</h2>
      <p class="small soft">A halt refuses new orders at once, and never a cancel.</p>
      <form class="stack" onSubmit={onSubmit}>
        <Target halt={halt} change={change} />
        <label class="field">
          <span>Reason, which everybody it concerns can read</span>
          <input
            value={halt.reason}
            required
            maxLength={500}
            onInput={(event) => setHalt({ ...halt, reason: event.currentTarget.value })}
          />
        </label>
        {isNamed && (
          <label class="field">
            <span>Type “{due}” to confirm</span>
            <input
              value={typed}
              required
              autoComplete="off"
              spellcheck={false}
              onInput={(event) => setTyped(event.currentTarget.value)}
            />
          </label>
        )}
        <div class="row">
          <button type="submit" class="button danger" disabled={!isTyped}>
            {halt.verb === "halt" ? "Halt it" : "Resume it"}
          </button>
        </div>
      </form>
    </section>
  );
}

interface TargetProps {
  readonly halt: Halt;
  change(changed: Partial<Halt>): void;
}

const Target = ({ halt, change }: TargetProps) => (
  <div class="fields">
    <label class="field">
      <span>What</span>
      <select
        value={halt.scope}
        onChange={({ currentTarget: { value } }) =>
          change({ scope: value === "market" || value === "account" ? value : "exchange" })
        }
      >
        {Object.entries(scopes).map(([scope, words]) => (
          <option key={scope} value={scope}>
            {words}
          </option>
        ))}
      </select>
    </label>
    <label class="field">
      <span>Do</span>
      <select
        value={halt.verb}
        onChange={({ currentTarget: { value } }) =>
          change({ verb: value === "resume" ? "resume" : "halt" })
        }
      >
        <option value="halt">halt</option>
        <option value="resume">resume</option>
      </select>
    </label>
    {halt.scope !== "exchange" && (
      <label class="field">
        <span>{halt.scope === "market" ? "Market, such as mkt-001" : "Account’s id"}</span>
        <input
          value={halt.id}
          required
          spellcheck={false}
          onInput={(event) => change({ id: event.currentTarget.value })}
        />
      </label>
    )}
  </div>
);
