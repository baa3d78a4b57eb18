// /api/docs: the reference to read and to try, and the document it is drawn from.
// Invariant: nothing is loaded from anywhere else, and no script runs but these files.
import { existsSync, readFileSync } from "node:fs";
import { invariant } from "#base/invariant.ts";
import { page, type Route } from "./route/route.ts";
import { ServedReference, type ServedReferencePorts } from "./served-reference.ts";

const policy = [
  "default-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "object-src 'none'",
].join("; ");

const headers = {
  "content-security-policy": policy,
  "referrer-policy": "no-referrer",
  "cache-control": "public, max-age=600",
};

const html = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Firstprint: API reference</title>
    <link rel="stylesheet" href="/api/docs/swagger-ui.css">
    <link rel="icon" type="image/png" href="/api/docs/favicon-32x32.png">
  </head>
  <body>
    <noscript>The reference as data: <a href="/api/docs/openapi.json">openapi.json</a></noscript>
    <div id="reference"></div>
    <script src="/api/docs/swagger-ui-bundle.js"></script>
    <script src="/api/docs/start.js"></script>
  </body>
</html>
`;

/** Keys typed into the page stay in the page; no validator of anybody else's is asked. */
const start = `SwaggerUIBundle({
  url: "/api/docs/openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
  persistAuthorization: false,
});
`;

const text = (content: string): Buffer => Buffer.from(content, "utf8");

/** A file of the package that draws the page. */
const packaged = (name: string): Buffer =>
  readFileSync(new URL(import.meta.resolve(`@fastify/swagger-ui/static/${name}`)));

/** Made of the routes when the dependencies are installed. */
const made = new URL("../../sdk/openapi.json", import.meta.url);

function readDocument(): string {
  invariant(existsSync(made), "sdk/openapi.json is there: `npm run openapi` makes it");
  return readFileSync(made, "utf8");
}

export function docsRoutes(ports: ServedReferencePorts): readonly Route[] {
  const file = (url: string, summary: string, contentType: string, bytes: Buffer): Route =>
    page(`/api/docs${url}`, summary, () => ({ contentType, bytes, headers }));
  const reference = new ServedReference(readDocument(), ports);
  const referenceType = "application/json";
  const htmlType = "text/html; charset=utf-8";
  const scriptType = "text/javascript; charset=utf-8";
  const styleType = "text/css; charset=utf-8";
  return [
    file("", "The reference to read and to try", htmlType, text(html)),
    file("/", "The same", htmlType, text(html)),
    page(
      "/api/docs/openapi.json",
      "The reference as data, its examples from this exchange",
      () => ({
        contentType: referenceType,
        bytes: reference.bytes(),
        headers,
      }),
    ),
    file("/start.js", "Opens the reference", scriptType, text(start)),
    file("/swagger-ui-bundle.js", "Draws it", scriptType, packaged("swagger-ui-bundle.js")),
    file("/swagger-ui.css", "Its looks", styleType, packaged("swagger-ui.css")),
    file("/favicon-32x32.png", "Its mark", "image/png", packaged("favicon-32x32.png")),
  ];
}
