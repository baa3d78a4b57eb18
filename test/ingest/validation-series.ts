// Files put to validation one after the other, as releases of one series: a region is its place.
// Invariant: validation is asked as the intake asks it, without the intake's store and journal.
import { nodeId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import { monthEndMillis } from "#base/month.ts";
import { validatedKind } from "#ingest/releases/reading.ts";
import { openProviderFile } from "#ingest/sources/open-provider-file.ts";
import { decideNode, type KnownNode, knownAfter } from "#prints/first-prints.ts";
import { isChained, type PrintLevel, type ProviderId } from "#prints/release.ts";
import { ReleaseValidation } from "#prints/release-validation.ts";
import type { ValidationReason } from "#prints/validation-reason.ts";
import { pieces } from "./wide-file.ts";

interface Passed {
  readonly reasons: readonly ValidationReason[];
  /** Places that validation holds alone, each with why. */
  readonly held: readonly string[];
  readonly isMethodChanged: boolean;
}

export interface SentAs {
  readonly provider: ProviderId;
  readonly index: IndexKind;
  readonly level: PrintLevel;
}

export const zillow = (index: IndexKind, level: PrintLevel): SentAs => ({
  provider: "zillow",
  index,
  level,
});

/** Releases of one index and level, one after the other; a region is its own place. */
export class Series {
  readonly #sentAs: SentAs;
  readonly #known = new Map<string, KnownNode>();
  /** Regions whose places wait for two people: as the intake does, no later file prints them. */
  readonly #waiting = new Set<string>();
  #before: Parameters<ReleaseValidation["reasons"]>[1];
  #regions: readonly string[] = [];

  constructor(sentAs: SentAs) {
    this.#sentAs = sentAs;
  }

  async take(bytes: Uint8Array, isDeclared = false): Promise<Passed> {
    const { index, level } = this.#sentAs;
    const file = await openProviderFile(pieces(bytes, 65_536), this.#sentAs);
    const validation = new ReleaseValidation(
      validatedKind(index, file.variable),
      level,
      isDeclared,
    );
    const regions: string[] = [];
    const held: string[] = [];
    for await (const { regionId, history } of file.rows) {
      regions.push(regionId);
      if (this.#waiting.has(regionId)) {
        validation.pass(regionId);
        continue;
      }
      const known = this.#known.get(regionId);
      const decision = decideNode(known, history, isChained(index));
      const node = nodeId(`${this.#sentAs.level}:${regionId}`);
      const why = validation.add({ node, regionId }, known, history, decision.newPrints);
      held.push(...why.map(({ code }) => `${node} ${code}`));
      if (why.length > 0) {
        this.#waiting.add(regionId);
        continue;
      }
      const after = knownAfter(known, decision);
      if (after !== undefined) this.#known.set(regionId, after);
    }
    const { lastMonth } = file;
    const release = { lastMonth, publishedAtMillis: monthEndMillis(lastMonth) + 15 * 86_400_000 };
    const changes = (file.changes ?? []).map((message): ValidationReason => {
      return { code: "LAYOUT_CHANGED", message };
    });
    const reasons = [...changes, ...validation.reasons(release, this.#before, this.#regions)];
    this.#before = { id: `to ${lastMonth}`, ...release };
    this.#regions = regions;
    return { reasons, held, isMethodChanged: validation.isMethodChanged };
  }
}

export const codes = ({ reasons }: Passed): readonly string[] => reasons.map(({ code }) => code);

/** Every value cell of a state or metro file through `change`; blanks stay. */
export function changed(
  file: Buffer,
  change: (value: number, row: number, column: number) => number,
) {
  const lines = file.toString().trimEnd().split("\n");
  const spoilt = lines.map((line, row) => {
    if (row === 0) return line;
    // A quoted name is the only cell with a comma; it stands before the values.
    const cells = line.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/);
    return cells
      .map((cell, at) => (at < 5 || cell === "" ? cell : String(change(Number(cell), row, at))))
      .join(",");
  });
  return Buffer.from(`${spoilt.join("\n")}\n`);
}
