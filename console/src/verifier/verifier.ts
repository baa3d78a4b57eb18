// Starts the worker that judges an export.
// Invariant: the page's policy lets no other script's address become a worker.
import type { Asked, Told } from "./told.ts";
import address from "./worker.ts?worker&url";

/** A browser with Trusted Types has it; an address that a policy gives passes for a string. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): string };
}

declare global {
  var trustedTypes: TrustedTypes | undefined;
}

/** The policy's name stands in the header (`src/http/console.ts`), and may be made once. */
const policy = globalThis.trustedTypes?.createPolicy("firstprint-verifier", {
  createScriptURL(url) {
    if (url !== address) throw new TypeError(`${url} is not the verifier's address`);
    return url;
  },
});

/** Calls `tell` until the verdict; a call of what it gives ends the work. */
export function judge(asked: Asked, tell: (told: Told) => void): () => void {
  const worker = new Worker(policy?.createScriptURL(address) ?? address, { type: "module" });
  worker.onmessage = ({ data }: MessageEvent<Told>) => {
    tell(data);
    if (data.state !== "judging") worker.terminate();
  };
  worker.onerror = ({ message }) => {
    tell({ state: "unusable", reason: message || "the verifier could not be started" });
    worker.terminate();
  };
  worker.postMessage(asked);
  return () => worker.terminate();
}
