// firstprint geo load: the places below the states, from a hierarchy file.
// Invariant: the file goes as it is; the exchange takes all of it or nothing.
import { at } from "./answer.ts";
import type { Command } from "./command.ts";
import { fileUpload } from "./file.ts";
import { field } from "./table.ts";

const loadGeo: Command = {
  words: "geo load",
  about: "Load a hierarchy file (CSV); a place that is known is brought up to date",
  takes: ["file"],
  example: "geo load places.csv",
  needs: "operator",
  run: async ({ args, exchange, screen }) => {
    const upload = fileUpload(args.word("file"));
    const answer = await exchange.upload("/api/admin/geo", upload);
    const fields = [field("nodes", "places"), field("added"), field("changed"), field("rereading")];
    screen.show(answer, () => screen.record(fields, at(answer.json, "data")));
    return undefined;
  },
};

export const geoCommands: readonly Command[] = [loadGeo];
