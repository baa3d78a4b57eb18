// Personal data over HTTP: an account gives its own, an operator reads them or has them erased.
// Invariant: no answer to the account, no error and no log line repeats what was given.
import { type Static, Type } from "typebox";
import { type AccountId, accountId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import type { Result, Submit } from "#engine/engine.ts";
import { eventsOf } from "./admin/result-events.ts";
import { refuse } from "./route/errors.ts";
import { admin, closed, nothing, type Route, trading } from "./route/route.ts";

const text = (most: number) =>
  Type.String({ minLength: 1, maxLength: most, description: `text of 1 to ${most} characters` });

const SubjectShape = closed(
  {
    kind: Type.Enum(["person", "organisation"], { description: "person or organisation" }),
    legalName: text(200),
    countryCode: Type.String({ pattern: "^[A-Z]{2}$", description: "two capital letters" }),
    dateOfBirth: Type.Optional(
      Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}$", description: "a day written YYYY-MM-DD" }),
    ),
    registrationNumber: Type.Optional(text(64)),
    address: Type.Optional(text(500)),
  },
  { title: "Subject" },
);

type SubjectInput = Static<typeof SubjectShape>;
/** Keeps personal data outside the journal; each call is one command as well. */
export interface IdentityPort {
  keep(account: AccountId, subject: SubjectInput, submit: Submit): Promise<Result>;
  /** Undefined where none are kept. */
  read(
    account: AccountId,
    submit: Submit,
  ): Promise<{ readonly result: Result; readonly subject: SubjectInput | undefined }>;
  erase(account: AccountId, submit: Submit): Promise<Result>;
}

interface IdentityPorts {
  readonly identity: IdentityPort;
}

const giveSubject = ({ identity }: IdentityPorts): Route =>
  trading.perform({
    method: "POST",
    url: "/api/kyc/subject",
    access: "manage:custody",
    summary: "Gives the personal data an inquiry is decided on, in place of any before",
    params: nothing,
    body: SubjectShape,
    data: Type.Object({ subjectId: Type.String({ description: "opaque" }) }),
    perform: async ({ caller, body, submit }) => {
      const events = eventsOf(await identity.keep(caller.account.id, body, submit));
      if ("refused" in events) return events;
      const changed = events.find((event) => event.type === "AccountChanged");
      const subjectId = changed?.account.kyc.subjectId;
      invariant(typeof subjectId === "string", "data that were given have an id");
      return { data: { subjectId } };
    },
  });

const ofAccount = Type.Object({ id: Type.String() });

const readSubject = ({ identity }: IdentityPorts): Route =>
  admin.perform({
    method: "POST",
    url: "/api/admin/accounts/:id/subject/read",
    access: "admin:accounts",
    summary: "An account's personal data; the reading is an audit entry of its own",
    refusals: ["ACCOUNT_NOT_FOUND", "NOT_FOUND"],
    params: ofAccount,
    body: nothing,
    data: SubjectShape,
    perform: async ({ params, submit }) => {
      const { result, subject } = await identity.read(accountId(params.id), submit);
      const events = eventsOf(result);
      if ("refused" in events) return events;
      return subject === undefined
        ? refuse("NOT_FOUND", { message: "No personal data is stored for this account" })
        : { data: subject };
    },
  });

const eraseSubject = ({ identity }: IdentityPorts): Route =>
  admin.perform({
    method: "DELETE",
    url: "/api/admin/accounts/:id/subject",
    access: "admin:accounts",
    summary: "Destroys the key of an account's personal data: nobody can read them again",
    refusals: ["ACCOUNT_NOT_FOUND"],
    params: ofAccount,
    body: nothing,
    data: Type.Object({ erased: Type.Literal(true) }),
    perform: async ({ params, submit }) => {
      const events = eventsOf(await identity.erase(accountId(params.id), submit));
      return "refused" in events ? events : { data: { erased: true as const } };
    },
  });

export const identityRoutes = (ports: IdentityPorts): readonly Route[] => [
  giveSubject(ports),
  readSubject(ports),
  eraseSubject(ports),
];
