// An entry's way into the transparency log, as every surface shows it.
// Invariant: the proof is of the entry's hash as the chain has it, in the tree of a signed head.
import { type Static, Type } from "typebox";
import type { PublicLog } from "#engine/engine.ts";

export const Inclusion = Type.Object(
  {
    index: Type.Integer({ description: "of the leaf, from 0: the entry's sequence less one" }),
    treeSize: Type.Integer({ description: "of the signed head: /api/log/checkpoint/{treeSize}" }),
    proof: Type.Array(Type.String(), {
      description: "hashes in base64, from the leaf's sibling up (RFC 6962, 2.1.1)",
    }),
  },
  { title: "Inclusion" },
);

/** With the head itself, so that it can be checked with the verifier key alone. */
export const InclusionProof = Type.Object(
  {
    ...Inclusion.properties,
    checkpoint: Type.String({ description: "the signed note of that head, as it was signed" }),
  },
  { title: "InclusionProof" },
);

export const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");

export const inclusionShown = ({
  index,
  treeSize,
  proof,
}: Awaited<ReturnType<PublicLog["inclusion"]>>): Static<typeof Inclusion> => ({
  index,
  treeSize,
  proof: proof.map(base64),
});

/** In the newest head that a witness has cosigned, if it covers the entry, or the newest of all. */
export async function inclusionOf(
  log: PublicLog | undefined,
  sequence: number,
): Promise<Static<typeof InclusionProof> | null> {
  const head = [log?.witnessed, log?.newest].find(
    (one) => one !== undefined && one.size >= sequence,
  );
  if (log === undefined || head === undefined) return null;
  const inclusion = await log.inclusion(sequence, head.size);
  return { ...inclusionShown(inclusion), checkpoint: head.note };
}
