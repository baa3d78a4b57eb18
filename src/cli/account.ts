// firstprint account …: opening, showing, funding and halting accounts, as the operator.
// Invariant: a new account's key is shown here once and kept nowhere.
import { at, items } from "./answer.ts";
import type { CliCommand } from "./command.ts";
import { amountText } from "./figures.ts";
import { keyFields, warnOfLostSecret } from "./key.ts";
import { kycFields } from "./kyc.ts";
import { pageOptions, pageRemark } from "./page.ts";
import { listIn, tellWaiting } from "./proposal.ts";
import { field, time } from "./table.ts";

const accountFields = [
  field("id"),
  field("name"),
  field("role"),
  field("owner"),
  field("address"),
  field("createdAt", "opened", time),
  field("maxDaily", "most a day"),
  field("maxOpenOrders", "open orders"),
];

const listFields = [
  field("id"),
  field("name"),
  field("role"),
  field("kyc.status", "kyc"),
  field("kyc.tier", "tier"),
  field("cash"),
  field("available"),
  field("halted"),
];

const openAccount: CliCommand = {
  words: "account open",
  about: "Open an account and show its first key, once",
  takes: ["name"],
  options: {
    role: { value: "role", about: "trader (the default), auditor or operator" },
    owner: { value: "account", about: "an account of the same owner" },
    permissions: {
      value: "list",
      about: "of an operator's key, with commas between, such as admin:read,admin:funding",
    },
  },
  example: 'account open "Harbor Homes" --role trader',
  needs: "operator",
  run: async ({ args, exchange, screen }) => {
    const role = args.option("role") ?? "trader";
    const permissions = listIn(args.option("permissions"));
    const body = { name: args.word("name"), role, ...args.given("owner"), ...permissions };
    const answer = await exchange.post("/api/admin/accounts", body);
    if (tellWaiting(screen, answer)) return undefined;
    const account = at(answer.json, "data.account");
    const key = at(answer.json, "data.key");
    screen.show(answer, () =>
      [
        screen.record(accountFields, account),
        "",
        "Its first key:",
        screen.record(keyFields(key), key),
      ].join("\n"),
    );
    warnOfLostSecret(screen, key);
    return undefined;
  },
};

const listAccounts: CliCommand = {
  words: "account list",
  about: "List the accounts in the order they were opened",
  options: pageOptions,
  example: "account list --limit 100",
  needs: "operator",
  run: async ({ args, exchange, screen }) => {
    const query = args.given("page", "limit");
    const answer = await exchange.read("/api/admin/accounts", query);
    const rows = items(at(answer.json, "data"));
    screen.show(answer, () => screen.table(listFields, rows, "No accounts."));
    pageRemark(screen, answer);
    return undefined;
  },
};

const showAccount: CliCommand = {
  words: "account show",
  about: "Show an account with its cash and its KYC record",
  takes: ["account"],
  example: "account show acc-1",
  needs: "operator",
  run: async ({ args, exchange, screen }) => {
    const answer = await exchange.read("/api/admin/accounts/{id}", { id: args.word("account") });
    const account = at(answer.json, "data");
    const fields = [...accountFields, field("halted"), field("cash"), field("available")];
    screen.show(answer, () =>
      [
        screen.record(fields, account),
        "",
        "KYC:",
        screen.record(kycFields, at(account, "kyc")),
      ].join("\n"),
    );
    return undefined;
  },
};

const fundAccount: CliCommand = {
  words: "account fund",
  about: "Put USD into an account, or take it out with a negative amount",
  takes: ["account", "amount"],
  options: { memo: { value: "text", about: "a remark kept with the posting" } },
  example: "account fund acc-1 250000.00",
  needs: "operator",
  run: async ({ args, exchange, screen }) => {
    const body = { amount: amountText(args.word("amount")), ...args.given("memo") };
    const answer = await exchange.post("/api/admin/accounts/{id}/funding", {
      id: args.word("account"),
      ...body,
    });
    if (tellWaiting(screen, answer)) return undefined;
    const fields = [field("cash"), field("available")];
    screen.show(answer, () => screen.record(fields, at(answer.json, "data")));
    return undefined;
  },
};

const ownAccount: CliCommand = {
  words: "account owner",
  about: "Give an account the owner of another one; its own id gives it back to itself",
  takes: ["account", "owner"],
  example: "account owner acc-2 acc-1",
  needs: "operator",
  run: async ({ args, exchange, screen }) => {
    const answer = await exchange.post("/api/admin/accounts/{id}/owner", {
      id: args.word("account"),
      owner: args.word("owner"),
    });
    if (tellWaiting(screen, answer)) return undefined;
    screen.show(answer, () => screen.record(accountFields, at(answer.json, "data")));
    return undefined;
  },
};

const capAccount: CliCommand = {
  words: "account caps",
  about: "Set what an account may trade in a day, and how many orders it may have open",
  takes: ["account"],
  options: {
    "max-daily": { value: "amount", about: "USD of coverage in a UTC day; tier for its tier's" },
    "max-open-orders": { value: "number", about: "at most 5000; usual for that of every account" },
  },
  example: "account caps acc-1 --max-daily 40000000 --max-open-orders 2400",
  needs: "operator",
  run: async ({ args, exchange, screen }) => {
    const daily = args.option("max-daily");
    const open = args.option("max-open-orders");
    const answer = await exchange.post("/api/admin/accounts/{id}/caps", {
      id: args.word("account"),
      ...(daily === undefined ? {} : { maxDaily: daily === "tier" ? null : amountText(daily) }),
      ...(open === undefined
        ? {}
        : { maxOpenOrders: open === "usual" ? null : args.whole("max-open-orders") }),
    });
    if (tellWaiting(screen, answer)) return undefined;
    screen.show(answer, () => screen.record(accountFields, at(answer.json, "data")));
    return undefined;
  },
};

const haltCommand = (verb: "halt" | "resume", about: string, reason: string): CliCommand => ({
  words: `account ${verb}`,
  about,
  takes: ["account"],
  options: { reason: { value: "text", about: "why, for the audit trail" } },
  example: `account ${verb} acc-1 --reason "${reason}"`,
  needs: "operator",
  run: async ({ args, exchange, screen }) => {
    const given = { id: args.word("account"), ...args.given("reason") };
    const answer = await exchange.post(`/api/admin/accounts/{id}/${verb}`, given);
    const fields = [...accountFields, field("halted")];
    screen.show(answer, () => screen.record(fields, at(answer.json, "data")));
    return undefined;
  },
});

export const accountCommands: readonly CliCommand[] = [
  openAccount,
  listAccounts,
  showAccount,
  fundAccount,
  ownAccount,
  capAccount,
  haltCommand("halt", "Stop an account from trading; it can still cancel", "screening is due"),
  haltCommand("resume", "Let a halted account trade again", "screening is done"),
];
