// The developer's pages, written while the console is built: `virtual:contents` names the file that
// lists them all.
// Invariant: a page is a file of its own under a name of its content, loaded when it is gone to.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";
import { guidesOf } from "./guides.ts";
import { referenceOf } from "./reference.ts";
import type { Contents, Operation, OperationLink } from "./src/screens/docs/contents.ts";

const MODULE = "virtual:contents";

export function pages(checkout: string): Plugin {
  return {
    name: "pages",
    resolveId(id) {
      return id === MODULE ? `\0${MODULE}` : undefined;
    },
    load(id) {
      if (id !== `\0${MODULE}`) return undefined;
      const put = (name: string, content: unknown): string => {
        const source = JSON.stringify(content);
        const hash = createHash("sha256").update(source).digest("base64url").slice(0, 8);
        const fileName = `assets/${name.replaceAll("/", "-")}-${hash}.json`;
        this.emitFile({ type: "asset", fileName, source });
        return `/${fileName}`;
      };
      return `export default ${JSON.stringify(put("contents", contentsOf(checkout, put)))};`;
    },
  };
}

function contentsOf(checkout: string, put: (name: string, content: unknown) => string): Contents {
  const reference = referenceOf(join(checkout, "sdk/openapi.json"));
  return {
    guides: guidesOf(checkout).map(({ pieces, ...guide }) => ({
      ...guide,
      url: put(`guide-${guide.name}`, pieces),
    })),
    tasks: reference.tasks.map(({ title, operations }, at) => ({
      title,
      url: put(`task-${at + 1}`, operations),
      operations: operations.map(linkOf),
    })),
    recipe: {
      curl: textOf(checkout, "console/recipes/homeowner.sh"),
      TypeScript: homeownerOf(textOf(checkout, "sdk/README.md")),
      Python: textOf(checkout, "console/recipes/homeowner.py"),
    },
    taken: reference.taken,
  };
}

const linkOf = ({ id, method, path, summary }: Operation): OperationLink => ({
  ...{ id, method, path, summary },
});

const textOf = (checkout: string, file: string): string =>
  readFileSync(join(checkout, file), "utf8");

/** The SDK's own recipe, which its tests compile and run. */
function homeownerOf(readme: string): string {
  const code = /^### A homeowner.*?^```ts\n(.*?)^```$/ms.exec(readme)?.[1];
  if (code === undefined) throw new Error("sdk/README.md has no recipe of a homeowner");
  return code;
}
