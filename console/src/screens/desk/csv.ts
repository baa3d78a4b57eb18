// The desk's table as a file for a spreadsheet.
// Invariant: each row of the desk is one line; a field that has no figure is empty.
import { quoteOf, type Rule } from "./rule.ts";

/** As much of a row of the desk as the file has. */
interface CsvRow {
  readonly market: {
    readonly id: string;
    readonly frontendId: string;
    readonly measurementMonth: string;
    readonly bestBid: number | null;
    readonly bestAsk: number | null;
    readonly mark: number;
  };
  readonly name: string;
  readonly state: string | undefined;
  readonly bid: Resting | undefined;
  readonly ask: Resting | undefined;
  readonly position: number;
  readonly edge: number;
}

interface Resting {
  readonly price: number;
  readonly amount: number;
}

const columns =
  "market,series,place,state,month,bid,bid contracts,ask,ask contracts,best bid,best ask,mark," +
  "position,edge usd,rule bid,rule ask";

/** With the figures as the exchange gives them. */
export function csvOf(rows: readonly CsvRow[], rule: Rule): string {
  const lines = rows.map((row) => {
    const { market, name, state, bid, ask, position, edge } = row;
    const next = quoteOf(row, rule);
    const fields = [
      ...[market.frontendId, market.id, name, state, market.measurementMonth],
      ...[bid?.price.toFixed(4), bid?.amount, ask?.price.toFixed(4), ask?.amount],
      ...[market.bestBid, market.bestAsk, market.mark, position, edge.toFixed(2)],
      ...[next.bid?.price, next.ask?.price],
    ];
    return fields.map((field) => quoted(String(field ?? ""))).join(",");
  });
  return `${[columns, ...lines].join("\r\n")}\r\n`;
}

const quoted = (field: string): string =>
  /[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
