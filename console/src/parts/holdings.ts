// What the account has: cash, positions, acceptances, as its own key may see them.
// Invariant: it is read anew after each command that could change it.
import { answered } from "@firstprint/sdk";
import { Question } from "../query.ts";
import { exchange } from "../session.ts";

const MOST_READ = 200;

export const holdings = new Question(
  async () => {
    const ask = exchange.value;
    const query = { limit: MOST_READ };
    const [account, positions, acceptances, margin] = await Promise.all([
      answered(ask.GET("/api/trading/account")),
      answered(ask.GET("/api/trading/positions", { params: { query } })),
      answered(ask.GET("/api/trading/acceptances", { params: { query } })),
      answered(ask.GET("/api/liquidity/margin-health")),
    ]);
    return {
      account: account.data,
      positions: positions.data,
      acceptances: acceptances.data,
      margin: margin.data,
    };
  },
  { everySeconds: 15, isPrivate: true },
);
