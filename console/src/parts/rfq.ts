// Requests for quotes, as whoever asks and whoever answers reads them.
// Invariant: a list and each request are asked for anew while somebody looks.
import { answered, type Schemas } from "@firstprint/sdk";
import { Question } from "../query.ts";
import { exchange } from "../session.ts";

export type Rfq = Schemas["Rfq"];
export type RfqQuote = Schemas["RfqQuote"];

export const rfqs = new Question(
  async () => (await answered(exchange.value.GET("/api/trading/rfqs"))).data,
  { everySeconds: 10, isPrivate: true },
);

export const rfq = new Question(
  async (rfqId: string): Promise<Rfq> => {
    const params = { path: { rfqId } };
    return (await answered(exchange.value.GET("/api/trading/rfqs/{rfqId}", { params }))).data;
  },
  { everySeconds: 5, isPrivate: true },
);

/** Of all legs together, at a quote's prices: dollars. */
export const totalOf = ({ legs }: Rfq, { prices }: Pick<RfqQuote, "prices">): number =>
  legs.reduce((sum, { amount }, at) => sum + Number(amount) * (prices[at] ?? 0), 0);

/** The exchange's time, Unix seconds: a sandbox has its own. */
export const readTime = async (): Promise<number> =>
  (await answered(exchange.value.GET("/api/time"))).data.unixSeconds;

const states: Readonly<Record<Rfq["status"], string>> = {
  open: "takes quotes",
  closed: "takes no more quotes",
  filled: "filled",
  cancelled: "cancelled",
  lapsed: "ended by a release or a halt",
  expired: "over, without a trade",
};

export const rfqState = ({ status }: Pick<Rfq, "status">): string => states[status];
