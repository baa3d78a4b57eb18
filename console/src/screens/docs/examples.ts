// A request as a program in three languages, and its example moved to this exchange's own time.
// Invariant: each program is whole: it runs as it stands, with the key in FIRSTPRINT_KEY.
import { monthAfter, monthsBetween } from "../../words.ts";
import type { Contents, Field, Language, Now, Operation } from "./contents.ts";

/** A request by the names of the parameters; an empty one is left out. */
export interface Asked {
  readonly operation: Operation;
  readonly values: Readonly<Record<string, string>>;
  /** JSON; undefined where the operation takes none. */
  readonly body: string | undefined;
}

/** A text of an example: months and times are moved by as much as the exchange is later. */
export function movedText(text: string, taken: Contents["taken"], now: Now): string {
  const months = now.month === undefined ? 0 : monthsBetween(taken.month, now.month);
  const seconds = now.unixSeconds - taken.unixSeconds;
  return text
    .replace(/(?<![\d-])20\d\d-(?:0[1-9]|1[0-2])(?![-\d])/g, (month) => monthAfter(month, months))
    .replace(/(?<![\d.])17[0-9]{8}(?![\d.])/g, (time) => String(Number(time) + seconds))
    .replace(/20\d\d-\d\d-\d\dT[\d:.]+Z/g, (time) =>
      new Date(Date.parse(time) + seconds * 1000).toISOString(),
    );
}

const given = ({ operation, values }: Asked, place: "path" | "query") =>
  operation.parameters.flatMap((one) => {
    const value = values[one.name] ?? "";
    return one.place === place && value !== "" ? [{ ...one, value }] : [];
  });

/** The path with its query, as it goes over the wire. */
export function addressOf(asked: Asked): string {
  const { path, parameters } = asked.operation;
  let address = path;
  for (const { name, place } of parameters)
    if (place === "path")
      address = address.replace(`{${name}}`, encodeURIComponent(asked.values[name] ?? ""));
  const query = new URLSearchParams();
  for (const { name, value } of given(asked, "query")) query.append(name, value);
  return query.size === 0 ? address : `${address}?${query}`;
}

export const isStream = ({ answer }: Operation): boolean => answer.type === "text/event-stream";

/** A file is sent, and no JSON. */
export const isUpload = ({ body }: Operation): boolean =>
  body !== undefined && body.type !== "application/json";

export const programs: Readonly<Record<Language, (asked: Asked, url: string) => string>> = {
  curl,
  TypeScript: typescript,
  Python: python,
};

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function curl(asked: Asked, url: string): string {
  const { operation, body } = asked;
  const { method } = operation;
  const isPlain = method === "GET" || (method === "POST" && operation.body !== undefined);
  const words = [
    `curl ${isStream(operation) ? "-N" : "-sS"}${isPlain ? "" : ` -X ${method}`} ` +
      quoted(url + addressOf(asked)),
  ];
  if (operation.needsKey) words.push('-H "Authorization: Bearer $FIRSTPRINT_KEY"');
  if (operation.body !== undefined) words.push(`-H 'Content-Type: ${operation.body.type}'`);
  if (isUpload(operation)) words.push("--data-binary @FILE");
  else if (body !== undefined) words.push(`-d ${quoted(body)}`);
  return `${words.join(" \\\n  ")}\n`;
}

/** A number or a word of the language where the parameter takes one, a text otherwise. */
const literal = ({ type }: Field, value: string): string =>
  (/^(?:integer|number)\b/.test(type) && /^-?\d+(?:\.\d+)?$/.test(value)) ||
  (type === "boolean" && /^(?:true|false)$/.test(value))
    ? value
    : JSON.stringify(value);

/** JSON without quotes around names that need none. */
const asScript = (json: string): string => json.replace(/^(\s*)"([A-Za-z]\w*)":/gm, "$1$2:");

function typescript(asked: Asked, url: string): string {
  const { operation, body } = asked;
  const object = (place: "path" | "query"): string[] => {
    const fields = given(asked, place).map((one) => `${one.name}: ${literal(one, one.value)}`);
    return fields.length === 0 ? [] : [`${place}: { ${fields.join(", ")} }`];
  };
  const params = [...object("path"), ...object("query")];
  const options = [
    ...(params.length === 0 ? [] : [`params: { ${params.join(", ")} }`]),
    ...(body === undefined ? [] : [`body: ${asScript(body).replaceAll("\n", "\n    ")}`]),
  ];
  const key = operation.needsKey ? ', key: process.env.FIRSTPRINT_KEY ?? ""' : "";
  const second = options.length === 0 ? "" : `, {\n    ${options.join(",\n    ")},\n  }`;
  return `import { answered, connect } from "@firstprint/sdk";

const exchange = connect({ url: "${url}"${key} });
const answer = await answered(
  exchange.${operation.method}("${operation.path}"${second}),
);
console.log(answer);
`;
}

const pythonWords = { true: "True", false: "False", null: "None" } as const;

/** JSON as a literal of Python: words outside of texts are its own. */
const asPython = (json: string): string =>
  json.replace(/"(?:[^"\\]|\\.)*"|\b(true|false|null)\b/g, (text) =>
    text === "true" || text === "false" || text === "null" ? pythonWords[text] : text,
  );

function python(asked: Asked, url: string): string {
  const { operation, body } = asked;
  const headers = [
    ...(operation.needsKey ? [`"Authorization": f"Bearer {os.environ['FIRSTPRINT_KEY']}"`] : []),
    ...(body === undefined ? [] : ['"Content-Type": "application/json"']),
  ];
  const data =
    body === undefined
      ? ""
      : `    data=json.dumps(${asPython(body).replaceAll("\n", "\n    ")}).encode(),\n`;
  return `import json
import os
import urllib.request

request = urllib.request.Request(
    ${JSON.stringify(url + addressOf(asked))},
    method="${operation.method}",
    headers={${headers.join(", ")}},
${data})
with urllib.request.urlopen(request) as answer:
    print(json.dumps(json.load(answer), indent=2))
`;
}
