// The developer's pages, read from the files that the build wrote.
// Invariant: each is asked for once; it changes only with the console itself.

import contentsUrl from "virtual:contents";
import { answered, Refused } from "@firstprint/sdk";
import { Question } from "../../query.ts";
import { exchange } from "../../session.ts";
import type { Contents, Now, Operation, Piece } from "./contents.ts";

const KEPT = { freshSeconds: 86_400 };

async function readFile<T>(url: string): Promise<T> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`the page could not be loaded: status ${response.status}`);
  return response.json();
}

export const contents = new Question(() => readFile<Contents>(contentsUrl), KEPT);

export const guide = new Question((url: string) => readFile<readonly Piece[]>(url), KEPT);

export const operations = new Question((url: string) => readFile<readonly Operation[]>(url), KEPT);

async function readNow(): Promise<Now> {
  const ask = exchange.value;
  const { data: time } = await answered(ask.GET("/api/time"));
  const params = { path: { nodeId: "state:tx" } };
  const month = await answered(ask.GET("/api/index/{nodeId}", { params })).then(
    ({ data }) => data.asOfMonth,
    (fault: unknown) => {
      if (fault instanceof Refused && fault.status === 404) return undefined;
      throw fault;
    },
  );
  return { unixSeconds: time.unixSeconds, month };
}

export const now = new Question(readNow, { freshSeconds: 600 });
