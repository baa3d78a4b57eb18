// The queue as the exchange has it, asked for by the screen and anew after each word.
// Invariant: it belongs to the key, which is told whose first words are its own person's.
import { answered, type Schemas } from "@firstprint/sdk";
import { Question } from "../../query.ts";
import { exchange } from "../../session.ts";

export type Item = Schemas["QueueItem"];
export type Kind = Item["kind"];
export type ItemOf<K extends Kind> = Extract<Item, { readonly kind: K }>;

export interface Waiting {
  readonly items: readonly Item[];
  /** Of all kinds together, whatever was read. */
  readonly total: number;
}

const MOST_READ = 100;

export const queue = new Question(
  async (): Promise<Waiting> => {
    const params = { query: { limit: MOST_READ } };
    const { data, pagination } = await answered(exchange.value.GET("/api/admin/queue", { params }));
    return { items: data, total: pagination.total };
  },
  { everySeconds: 10, isPrivate: true },
);
