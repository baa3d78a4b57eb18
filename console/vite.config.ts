// How the console is built: hashed names, packed files beside each, and budgets that must hold.
// Invariant: a build over a budget fails, and leaves no page behind.
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { budgets } from "./budgets.ts";
import { packed } from "./packed.ts";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: at("."),
  resolve: { alias: { "@firstprint/sdk": at("../sdk/src/index.ts") } },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    target: "es2023",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  plugins: [budgets(), packed()],
});
