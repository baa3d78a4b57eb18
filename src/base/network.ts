// The addresses that are counted as one caller.
// Invariant: every address of an IPv6 /64 is one, since whoever has one of them has them all.

/** An IPv4 address, or the /64 an IPv6 address lies in; anything else stands for itself. */
export function networkOf(address: string): string {
  if (!address.includes(":")) return address;
  const [head = "", tail] = address.split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  const groups = [...left, ...new Array<string>(zeros).fill("0"), ...right];
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":")}::/64`;
}
