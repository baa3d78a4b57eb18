// firstprint key …: the API keys of the account whose key asks.
// Invariant: a secret is shown in the answer that made it and nowhere else.
import { at, items } from "./answer.ts";
import type { CliCommand } from "./command.ts";
import { listIn, tellWaiting } from "./proposal.ts";
import type { Screen } from "./screen.ts";
import { type Field, field, time } from "./table.ts";

const listFields = [
  field("id"),
  field("label"),
  field("prefix"),
  field("rateLimit", "a minute"),
  field("createdAt", "created", time),
  field("expiresAt", "expires", time),
  field("lastUsed", "last used", time),
  field("permissions"),
];

export const keyFields = (key: unknown): readonly Field[] => [
  field("id"),
  field("label"),
  field("permissions"),
  field("rateLimit", "a minute"),
  field("expiresAt", "expires", time),
  ...(at(key, "secret") === undefined ? [field("prefix")] : [field("secret")]),
];

/** The answer to a repeated request holds everything but the secret. */
export function warnOfLostSecret(screen: Screen, key: unknown): void {
  if (at(key, "secret") === undefined) {
    screen.warn("the secret was in the answer that got lost; make another key and revoke this one");
  } else {
    screen.note("The secret is shown this once: keep it now.");
  }
}

const createKey: CliCommand = {
  words: "key create",
  about: "Make a further key, with no more rights than the one that asks, and show it once",
  takes: ["label"],
  options: {
    permissions: {
      value: "list",
      required: true,
      about: "with commas between, such as read:markets,create:orders",
    },
    rate: { value: "number", about: "requests a minute" },
    days: { value: "number", about: "days until it expires, 1 to 365; never when left out" },
  },
  example: "key create reader --permissions read:markets,read:portfolio --days 30",
  needs: "key",
  run: async ({ args, exchange, screen }) => {
    const rateLimit = args.whole("rate");
    const expiresInDays = args.whole("days");
    const answer = await exchange.post("/api/trading/keys", {
      label: args.word("label"),
      permissions: (args.option("permissions") ?? "").split(",").map((name) => name.trim()),
      ...(rateLimit === undefined ? {} : { rateLimit }),
      ...(expiresInDays === undefined ? {} : { expiresInDays }),
    });
    const key = at(answer.json, "data");
    screen.show(answer, () => screen.record(keyFields(key), key));
    warnOfLostSecret(screen, key);
    return undefined;
  },
};

const listKeys: CliCommand = {
  words: "key list",
  about: "List the account's keys",
  example: "key list",
  needs: "key",
  run: async ({ exchange, screen }) => {
    const answer = await exchange.read("/api/trading/keys");
    const rows = items(at(answer.json, "data"));
    screen.show(answer, () => screen.table(listFields, rows, "No keys."));
    return undefined;
  },
};

const revokeKey: CliCommand = {
  words: "key revoke",
  about: "End a key of the account, for good",
  takes: ["key"],
  example: "key revoke key-2",
  needs: "key",
  run: async ({ args, exchange, screen }) => {
    const key = args.word("key");
    const answer = await exchange.delete("/api/trading/keys/{keyId}", { keyId: key });
    screen.show(answer, () => `Revoked ${key}.`);
    return undefined;
  },
};

const issueKey: CliCommand = {
  words: "key issue",
  about: "Give an account a new key, for one that was lost or stolen; it takes two operators",
  takes: ["account", "label"],
  options: {
    permissions: {
      value: "list",
      about: "of an operator's key, with commas between, such as admin:read,admin:funding",
    },
  },
  example: 'key issue acc-1 "after a lost one"',
  needs: "operator",
  run: async ({ args, exchange, screen }) => {
    const given = listIn(args.option("permissions"));
    const answer = await exchange.post("/api/admin/accounts/{id}/keys", {
      id: args.word("account"),
      label: args.word("label"),
      ...given,
    });
    if (tellWaiting(screen, answer)) return undefined;
    const key = at(answer.json, "data");
    screen.show(answer, () => screen.record(keyFields(key), key));
    warnOfLostSecret(screen, key);
    return undefined;
  },
};

const revokeAllKeys: CliCommand = {
  words: "key revoke-all",
  about: "End every key of an account, for good",
  takes: ["account"],
  example: "key revoke-all acc-1",
  needs: "operator",
  run: async ({ args, exchange, screen }) => {
    const answer = await exchange.delete("/api/admin/accounts/{id}/keys", {
      id: args.word("account"),
    });
    screen.show(answer, () => screen.record([field("revoked")], at(answer.json, "data")));
    return undefined;
  },
};

export const keyCommands: readonly CliCommand[] = [
  createKey,
  listKeys,
  revokeKey,
  issueKey,
  revokeAllKeys,
];
