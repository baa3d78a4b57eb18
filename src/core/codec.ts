// Data ↔ text for the journal and snapshots: JSON in which the unit in a name tells a bigint.
// Invariant: decode(encode(x)) equals x; text from users is never taken for a number.

const bigintUnits = ["Micros", "Lots", "E12", "E15"] as const;
const known = new Map<string, boolean>();

const isBigintName = (name: string): boolean => {
  const seen = known.get(name);
  if (seen !== undefined) return seen;
  const answer = bigintUnits.some((unit) => name.endsWith(unit));
  known.set(name, answer);
  return answer;
};

const toText = (_name: string, value: unknown): unknown =>
  typeof value === "bigint" ? value.toString() : value;

/** JSON with bigints as decimal strings, keys in the order they were written. */
export const encode = (value: unknown): string => JSON.stringify(value, toText);

/** Reads what `encode` wrote; the caller names the type it wrote. */
export function decode(text: string): unknown {
  return revive(JSON.parse(text));
}

function revive(value: unknown): unknown {
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at += 1) value[at] = revive(value[at]);
    return value;
  }
  if (!isRecord(value)) return value;
  for (const name of Object.keys(value)) {
    const field = value[name];
    if (typeof field === "string") {
      if (isBigintName(name)) value[name] = BigInt(field);
    } else if (typeof field === "object" && field !== null) {
      value[name] = revive(field);
    }
  }
  return value;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;
