// The wish to sign in, said from anywhere; the dialog answers it.
// Invariant: it holds no key.
import { signal } from "@preact/signals";

export const isAsked = signal(false);
