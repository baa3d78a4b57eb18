// How the console is built: hashed names, packed files beside each, and budgets that must hold.
// Invariant: a build over a budget fails, and leaves no page behind.
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { budgets } from "./budgets.ts";
import { packed } from "./packed.ts";
import { pages } from "./pages.ts";
import { preload } from "./preload.ts";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const neededByAll = new RegExp(
  [
    "node_modules/(?:preact|@preact|preact-iso|openapi-fetch)/",
    "sdk/src/(?:client|definite|errors|openapi|retry).ts$",
    "console/src/(?:query|session|words).ts$",
    "console/src/parts/(?:market-words|note|place-name|place-search|states|title).tsx?$",
  ].join("|"),
);

export default defineConfig({
  root: at("."),
  resolve: {
    alias: {
      "@firstprint/sdk": at("../sdk/src/index.ts"),
      "node:crypto": at("src/verifier/node-crypto.ts"),
    },
  },
  worker: { format: "es" },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    target: "es2023",
    assetsInlineLimit: 0,
    modulePreload: false,
    cssCodeSplit: false,
    reportCompressedSize: false,
    // Modules that every screen needs pack best together.
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: "base", test: neededByAll }] } },
    },
  },
  plugins: [pages(at("..")), budgets(), preload(), packed()],
});
