// Proposals of one person, a void, a fallback, a funding or rules, and the second word on each.
// Invariant: the details are those that would be carried out, as the trail calls them.
import { answered } from "@firstprint/sdk";
import { AccountName } from "../../parts/account-name.tsx";
import { actionWords } from "../../parts/entry-words.ts";
import { exchange } from "../../session.ts";
import { Reasoned, Word } from "./acting.tsx";
import type { ItemOf } from "./queue.ts";

export function ProposalItem({ item }: { readonly item: ItemOf<"proposal"> }) {
  const { proposal, firstWord } = item;
  const params = { path: { id: proposal.id } };
  const words = actionWords(proposal.action);
  const confirm = async (): Promise<string> => {
    await answered(exchange.value.POST("/api/admin/proposals/{id}/confirm", { params }));
    return `${words}: it is done.`;
  };
  const withdraw = async (): Promise<string> => {
    await answered(exchange.value.POST("/api/admin/proposals/{id}/withdraw", { params }));
    return `${words}: the proposal is taken back.`;
  };
  return (
    <>
      <h3 class="sentence">{words}</h3>
      <p class="small soft">
        {proposal.id}, by <AccountName id={proposal.proposedBy} />
      </p>
      <pre class="code">{JSON.stringify(proposal.details, null, 2)}</pre>
      <div class="row">
        <Word
          label="Agree: carry it out"
          what={`Agreeing to ${proposal.id}`}
          isFirst
          isDisabled={firstWord?.isYours === true}
          give={confirm}
        />
        <Word
          label="Take it back"
          what={`Taking back ${proposal.id}`}
          isDisabled={firstWord?.isYours !== true}
          give={withdraw}
        />
      </div>
    </>
  );
}

export function VoidItem({ item: { market, firstWord } }: { readonly item: ItemOf<"void"> }) {
  const params = { path: { id: market.id } };
  const name = market.frontendId;
  const agree = async (reason: string): Promise<string> => {
    const body = { reason };
    await answered(exchange.value.POST("/api/admin/markets/{id}/cancel", { params, body }));
    return `${name} is void: every payment in it is reversed.`;
  };
  const withdraw = async (reason: string): Promise<string> => {
    const asked = exchange.value.POST("/api/admin/markets/{id}/cancel-withdrawal", {
      params,
      body: { reason },
    });
    await answered(asked);
    return `The void of ${name} is taken back.`;
  };
  return (
    <>
      <h3>
        <a href={`/market/${name}`}>{name}</a> is to be void
      </h3>
      <p>“{market.voidProposal?.reason}”</p>
      <Reasoned
        label="Agree: reverse every payment"
        what={`Voiding ${name}`}
        isDisabled={firstWord?.isYours === true}
        give={agree}
      />
      <Reasoned
        label="Take it back"
        what={`Keeping ${name}`}
        isDisabled={firstWord?.isYours !== true}
        give={withdraw}
      />
    </>
  );
}

export function FallbackItem({ item: { market } }: { readonly item: ItemOf<"fallback"> }) {
  const name = market.frontendId;
  const propose = async (reason: string): Promise<string> => {
    const params = { path: { id: market.id } };
    const body = { reason };
    await answered(exchange.value.POST("/api/admin/markets/{id}/fallback", { params, body }));
    return `The fallback of ${name} is proposed. Another person has to agree to it.`;
  };
  return (
    <>
      <h3>
        <a href={`/market/${name}`}>{name}</a> has waited 60 days for its print
      </h3>
      <p class="small">
        The exchange draws the step of its terms from the prints there are; two people say that it
        is taken.
      </p>
      <Reasoned label="Propose its fallback" what={`Proposing for ${name}`} give={propose} />
    </>
  );
}
