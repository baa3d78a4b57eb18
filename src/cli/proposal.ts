// firstprint proposal …, root …: what takes two people, and the second one's word.
// Invariant: a key that a second word makes is shown here once, to whoever gave that word.
import { at, type ExchangeResponse, items } from "./answer.ts";
import type { CliCommand } from "./command.ts";
import type { Screen } from "./screen.ts";
import { field, time } from "./table.ts";

const listFields = [
  field("id"),
  field("action"),
  field("details"),
  field("proposedBy", "by"),
  field("proposedAt", "proposed", time),
  field("lapsesAt", "lapses", time),
];

const keyFields = [field("id"), field("label"), field("permissions"), field("secret")];

/** Permissions as they are typed; nothing where none were. */
export const listIn = (text: string | undefined): { readonly permissions?: readonly string[] } =>
  text === undefined ? {} : { permissions: text.split(",").map((name) => name.trim()) };

/** True where nothing was done yet: it says so, and what to do. */
export function tellWaiting(screen: Screen, answer: ExchangeResponse): boolean {
  const proposal = at(answer.json, "data.proposal");
  if (proposal === undefined) return false;
  screen.show(answer, () => screen.record(listFields, proposal));
  screen.note(
    `This takes a second person, who runs: firstprint proposal confirm ${at(proposal, "id")}`,
  );
  return true;
}

const listProposals: CliCommand = {
  words: "proposal list",
  about: "List what waits for a second person's word",
  example: "proposal list",
  needs: "operator",
  run: async ({ exchange, screen }) => {
    const answer = await exchange.read("/api/admin/proposals");
    const rows = items(at(answer.json, "data"));
    screen.show(answer, () => screen.table(listFields, rows, "Nothing waits."));
    return undefined;
  },
};

const confirmProposal: CliCommand = {
  words: "proposal confirm",
  about: "Agree to another person's proposal, which is then carried out",
  takes: ["proposal"],
  example: "proposal confirm prp-41",
  needs: "operator",
  run: async ({ args, exchange, screen }) => {
    const answer = await exchange.post("/api/admin/proposals/{id}/confirm", {
      id: args.word("proposal"),
    });
    const key = at(answer.json, "data.key");
    screen.show(answer, () =>
      [
        screen.record(listFields, at(answer.json, "data.proposal")),
        ...(key === undefined ? [] : ["", "The key it made:", screen.record(keyFields, key)]),
      ].join("\n"),
    );
    if (at(key, "secret") !== undefined) {
      screen.note("The secret is shown this once: hand it on to the account's operator now.");
    }
    return undefined;
  },
};

const withdrawProposal: CliCommand = {
  words: "proposal withdraw",
  about: "Take one's own proposal back",
  takes: ["proposal"],
  example: "proposal withdraw prp-41",
  needs: "operator",
  run: async ({ args, exchange, screen }) => {
    const answer = await exchange.post("/api/admin/proposals/{id}/withdraw", {
      id: args.word("proposal"),
    });
    screen.show(answer, () => screen.record(listFields, at(answer.json, "data")));
    return undefined;
  },
};

const rootCommand = (verb: "on" | "off"): CliCommand => ({
  words: `root ${verb}`,
  about: `Propose to switch the admin secret ${verb}, which takes two operators`,
  example: `root ${verb}`,
  needs: "operator",
  run: async ({ exchange, screen }) => {
    tellWaiting(screen, await exchange.post(`/api/admin/root/${verb}`, {}));
    return undefined;
  },
});

export const proposalCommands: readonly CliCommand[] = [
  listProposals,
  confirmProposal,
  withdrawProposal,
  rootCommand("off"),
  rootCommand("on"),
];
