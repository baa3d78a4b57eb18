// The session: a key that the tab holds in its memory, and the exchange asked with it.
// Invariant: a key is never stored; it is gone with the tab, and what it showed goes with it.
import { connect } from "@firstprint/sdk";
import { computed, signal } from "@preact/signals";
import { changeKey } from "./query.ts";

export const url = location.origin;

/** Shows the newest prints, also where they came before their day: a kept answer is asked about. */
const asking = (request: Request): Promise<Response> => fetch(request, { cache: "no-cache" });

/** Everybody's. */
const anonymous = connect({ url, mostWaitSeconds: 10, fetch: asking });

const key = signal<string | undefined>(undefined);

/** The exchange as it is asked now: with the tab's key, where there is one. */
export const exchange = computed(() =>
  key.value === undefined
    ? anonymous
    : connect({ url, key: key.value, mostWaitSeconds: 10, fetch: asking }),
);

export const isSignedIn = computed(() => key.value !== undefined);

/** The header of a request that the SDK does not make; the key is read at the moment it is sent. */
export const authorization = (): Readonly<Record<string, string>> =>
  key.value === undefined ? {} : { authorization: `Bearer ${key.value}` };

/** Holds another key from now on, or none. */
export function take(secret: string | undefined): void {
  key.value = secret;
  changeKey();
}

export function signOut(): void {
  take(undefined);
}
