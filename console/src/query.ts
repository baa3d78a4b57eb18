// Answers of the exchange, asked once for all who show them, and anew when they are old.
// Invariant: an answer belongs to the key it was given to; signing in or out forgets them all.
import {
  keepPreviousData,
  QueryClient,
  QueryObserver,
  type QueryObserverOptions,
} from "@tanstack/query-core";
import { useEffect, useState } from "preact/hooks";
import { isSignedIn } from "./session.ts";

/** The SDK sends a request again by itself where that makes sense. */
const client = new QueryClient({
  defaultOptions: { queries: { retry: false, staleTime: 15_000, gcTime: 300_000 } },
});
client.mount();
isSignedIn.subscribe(() => client.clear());

export type Reading<T> =
  | { readonly state: "waiting" }
  | { readonly state: "failed"; readonly fault: unknown; retry(): void }
  | { readonly state: "ready"; readonly data: T };

interface Options {
  /** Asks anew after so many seconds, while somebody looks. */
  readonly everySeconds?: number;
  /** Undefined: asked at once. False: not asked yet. */
  readonly isWanted?: boolean;
  /** Shows the answer before while the next is on its way. */
  readonly keepsLast?: boolean;
}

/** `name` stands for all that the answer depends on. */
export function useReading<T>(
  name: readonly unknown[],
  read: () => Promise<T>,
  { everySeconds, isWanted = true, keepsLast = false }: Options = {},
): Reading<T> {
  const options: QueryObserverOptions<T> = {
    queryKey: name,
    queryFn: read,
    enabled: isWanted,
    ...(everySeconds === undefined ? {} : { refetchInterval: everySeconds * 1000 }),
    ...(keepsLast ? { placeholderData: keepPreviousData } : {}),
  };
  const [observer] = useState(() => new QueryObserver<T>(client, options));
  const [, redraw] = useState(0);
  observer.setOptions(options);
  useEffect(() => observer.subscribe(() => redraw((count) => count + 1)), [observer]);
  const result = observer.getOptimisticResult(client.defaultQueryOptions(options));
  if (result.data !== undefined) return { state: "ready", data: result.data };
  if (!result.isError) return { state: "waiting" };
  return { state: "failed", fault: result.error, retry: () => void observer.refetch() };
}

/** After a command: all that starts with this name is asked anew. */
export const askAnew = (...name: readonly unknown[]): Promise<void> =>
  client.invalidateQueries({ queryKey: name });
