// A market as the exchange has it, for all screens that name one.
// Invariant: its terms never change; its state is asked for anew.
import { answered, type Schemas } from "@firstprint/sdk";
import { Question } from "../query.ts";
import { exchange } from "../session.ts";

export type Market = Schemas["Market"];

export const market = new Question(
  async (id: string): Promise<Market> =>
    (await answered(exchange.value.GET("/api/markets/{id}", { params: { path: { id } } }))).data,
  { everySeconds: 30 },
);

export const resolution = new Question(
  async (id: string): Promise<Schemas["ResolutionStatus"]> => {
    const params = { path: { id } };
    return (await answered(exchange.value.GET("/api/markets/{id}/resolution", { params }))).data;
  },
  { everySeconds: 30 },
);
