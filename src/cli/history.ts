// firstprint export …: first prints and marks of many places and markets, as one file.
// Invariant: the file says what the exchange sent, byte for byte, and is whole or not there.
import type { CliCommand } from "./command.ts";
import { writeOut } from "./written-file.ts";

const scopeOptions = {
  index: { value: "index", about: "zhvi, zori, vacancy or weather; zhvi when left out" },
  level: { value: "level", about: "only places of this level: state, county, city, zip, …" },
  place: { value: "place", about: "only this place and those that lie in it" },
  from: { value: "month", about: "the first month: 2020-01" },
  to: { value: "month", about: "the last month" },
  format: { value: "csv|ndjson|json", about: "csv when left out" },
  output: { value: "file", about: "write to this file once it is whole; else to stdout" },
} as const;

const exportPrints: CliCommand = {
  words: "export prints",
  about: "Write the first prints of many places, each with the release that carried it",
  options: {
    ...scopeOptions,
    "as-of": { value: "day", about: "as they were known when this day ended, UTC" },
  },
  example: "export prints --index zhvi --level zip --place state:tx --output texas.csv",
  needs: "public",
  long: true,
  run: async ({ args, exchange, screen }) => {
    const asOf = args.option("as-of");
    const chunks = await exchange.stream("/api/history/prints", {
      format: "csv",
      ...args.given("index", "level", "place", "from", "to", "format"),
      ...(asOf === undefined ? {} : { asOf }),
    });
    await writeOut(chunks, args.option("output"), screen);
    return undefined;
  },
};

const exportMarks: CliCommand = {
  words: "export marks",
  about: "Write the days of many markets: the last mark of each, and what was traded",
  options: scopeOptions,
  example: "export marks --place state:tx --from 2024-11 --output marks.csv",
  needs: "public",
  long: true,
  run: async ({ args, exchange, screen }) => {
    const chunks = await exchange.stream("/api/history/marks", {
      format: "csv",
      ...args.given("index", "level", "place", "from", "to", "format"),
    });
    await writeOut(chunks, args.option("output"), screen);
    return undefined;
  },
};

export const historyCommands: readonly CliCommand[] = [exportPrints, exportMarks];
