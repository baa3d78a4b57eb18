// The address of a webhook as its account gives it.
// Invariant: what is refused here could never be delivered; where a name leads is judged when it is
// connected, and only then.
import { isIP } from "node:net";
import { withoutBrackets } from "#outbound/addresses.ts";
import { mayReach, type PostGuard } from "./post.ts";

const LONGEST = 1_000;

/** In its one form, or a sentence that says what it must be. */
export function readAddress(
  text: string,
  guard: Pick<PostGuard, "networks">,
): { readonly url: string } | { readonly wrong: string } {
  const url = URL.parse(text);
  if (url === null) return { wrong: "must be an address such as https://desk.example/hook" };
  const isSecure = url.protocol === "https:";
  const mayBePlain = guard.networks.rules.length > 0 && url.protocol === "http:";
  if (!isSecure && !mayBePlain) return { wrong: "must begin with https://" };
  if (url.username !== "" || url.password !== "") {
    return { wrong: "must not hold a user or a password; the signature says who sends" };
  }
  if (url.hash !== "") return { wrong: "must not have a part after #, which is never sent" };
  if (url.href.length > LONGEST) return { wrong: `must have at most ${LONGEST} characters` };
  const host = withoutBrackets(url.hostname);
  if (isIP(host) !== 0 && !mayReach(guard, host, isSecure)) {
    return { wrong: `must lead to a public address, and ${host} is none` };
  }
  return { url: url.href };
}
