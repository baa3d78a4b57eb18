// The faults put on the exchange while it is watched: killed, paused, its database paused, its
// clients cut off.
// Invariant: in the end it runs, nothing is paused, and nothing more is cut.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Exchange } from "#test/support/exchange.ts";
import type { Recorder } from "./recorder.ts";
import type { Wire } from "./wire.ts";

/** The acts that happen once before any happens again. */
const acts = ["kill", "pause", "kill", "pauseDatabase", "cut"] as const;
type Act = (typeof acts)[number];

type Draw = (bound: number) => number;

/** Small cuts go on all the time, this often. */
const CUT_EACH_MILLIS = 400;
const CUT_AT_ONCE = 25;
const PAUSE_MILLIS = { least: 500, more: 2_000 } as const;
const QUIET_MILLIS = { least: 500, more: 1_500 } as const;

export class Nemesis {
  readonly counts: Record<Act, number> = { kill: 0, pause: 0, pauseDatabase: 0, cut: 0 };
  readonly #exchange: Exchange;
  readonly #wire: Wire;
  readonly #recorder: Recorder;
  readonly #draw: Draw;

  constructor(exchange: Exchange, wire: Wire, recorder: Recorder, draw: Draw) {
    this.#exchange = exchange;
    this.#wire = wire;
    this.#recorder = recorder;
    this.#draw = draw;
  }

  /** One act after another, and never fewer than all. */
  async run(isOver: () => boolean): Promise<void> {
    const cutting = setInterval(() => this.#wire.arm(1), CUT_EACH_MILLIS);
    try {
      let left: Act[] = [...acts];
      for (let done = 0; done < acts.length || !isOver(); done += 1) {
        if (left.length === 0) left = [...acts];
        // There must be something to lose.
        await sleep(this.#drawnMillis(QUIET_MILLIS));
        const [act = "cut"] = left.splice(this.#draw(left.length), 1);
        await this.#do(act);
        this.counts[act] += 1;
      }
    } finally {
      clearInterval(cutting);
      this.#wire.heal();
    }
  }

  async #do(act: Act): Promise<void> {
    switch (act) {
      case "kill":
        // A kill can take back the newest answer.
        await this.#recorder.nextOk(PAUSE_MILLIS.more);
        await this.#exchange.kill();
        this.#wire.target = undefined;
        await this.#exchange.up();
        this.#wire.target = this.#exchange.url;
        return;
      case "pause":
        return this.#pause([this.#exchange.pid]);
      case "pauseDatabase":
        return this.#pause(serverOf(this.#exchange.dataDir));
      case "cut":
        this.#wire.arm(CUT_AT_ONCE);
    }
  }

  async #pause(processes: readonly number[]): Promise<void> {
    try {
      for (const pid of processes) signal(pid, "SIGSTOP");
      await sleep(this.#drawnMillis(PAUSE_MILLIS));
    } finally {
      for (const pid of processes) signal(pid, "SIGCONT");
    }
  }

  #drawnMillis({ least, more }: { readonly least: number; readonly more: number }): number {
    return least + this.#draw(more);
  }
}

/** A backend may have ended by itself meanwhile. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

/** The database server and all it has started. */
function serverOf(dataDir: string): readonly number[] {
  const file = join(dataDir, "postgresql", "cluster", "postmaster.pid");
  const postmaster = Number(readFileSync(file, "utf8").split("\n")[0]);
  const children = readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    const parent = /^PPid:\s+(\d+)$/m.exec(statusOf(name))?.[1];
    return Number(parent) === postmaster;
  });
  return [postmaster, ...children.map(Number)];
}

function statusOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/status`, "utf8");
  } catch {
    return "";
  }
}
