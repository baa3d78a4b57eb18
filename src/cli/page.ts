// Lists that come in pages: the options that choose one, and the remark that there are more.
// Invariant: a list that is not whole says so.
import { at, type ExchangeResponse } from "./answer.ts";
import type { Screen } from "./screen.ts";

export const pageOptions = {
  page: { value: "number", about: "which page; 1 when left out" },
  limit: { value: "number", about: "how many a page, at most 100; 20 when left out" },
} as const;

export function pageRemark(screen: Screen, answer: ExchangeResponse): void {
  const pagination = at(answer.json, "pagination");
  if (at(pagination, "hasMore") !== true) return;
  const page = Number(at(pagination, "page"));
  screen.note(`Page ${page} of ${at(pagination, "total")} in all; the next is --page ${page + 1}.`);
}
