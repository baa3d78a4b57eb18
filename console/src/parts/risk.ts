// The exchange's own figures of risk, for the screens that show the fund.
// Invariant: they are everybody's, and nobody's alone.
import { answered, type Schemas } from "@firstprint/sdk";
import { Question } from "../query.ts";
import { exchange } from "../session.ts";

export type Risk = Schemas["Risk"];

export const risk = new Question(
  async (): Promise<Risk> => (await answered(exchange.value.GET("/api/risk"))).data,
  { everySeconds: 60 },
);
