// firstprint geo …: the places below the states, built from files and loaded from a hierarchy file.
// Invariant: the file goes as it is; the exchange takes all of it or nothing.
import { at } from "./answer.ts";
import type { CliCommand } from "./command.ts";
import { fileUpload } from "./file.ts";
import { become } from "./program.ts";
import { field } from "./table.ts";

const loadGeo: CliCommand = {
  words: "geo load",
  about: "Load a hierarchy file (CSV); a place that is known is brought up to date",
  takes: ["file"],
  example: "geo load places.csv",
  needs: "operator",
  long: true,
  run: async ({ args, exchange, screen }) => {
    const upload = fileUpload(args.word("file"), screen);
    const answer = await exchange.upload("/api/admin/geo", upload);
    const fields = [field("nodes", "places"), field("added"), field("changed"), field("rereading")];
    screen.show(answer, () => screen.record(fields, at(answer.json, "data")));
    return undefined;
  },
};

const sources = {
  counties: "the Census gazetteer of counties",
  zips: "zips with county and city (zipcode, state_abbr, county, city)",
  zctas: "the Census gazetteer of ZCTAs: only zips that stand in it become places",
  homes: "occupied homes by ZCTA (ACS table B25003)",
  known: "the hierarchy built before, whose ids are kept",
} as const;

const buildGeo: CliCommand = {
  words: "geo build",
  about: "Write a hierarchy file to stdout, from a provider's wide files and census files",
  takes: ["zillow-file…"],
  options: Object.fromEntries(
    Object.entries(sources).map(([name, about]) => [name, { value: "file", about }]),
  ),
  example: "geo build State.csv City.csv --counties Gaz_counties_national.txt",
  needs: "nothing",
  run: async ({ args }) => {
    const given = Object.entries(args.given(...Object.keys(sources)));
    return become("tools/build-hierarchy.ts", [
      "--zillow",
      ...args.words,
      ...given.flatMap(([name, file = ""]) => [`--${name}`, file]),
    ]);
  },
};

export const geoCommands: readonly CliCommand[] = [buildGeo, loadGeo];
