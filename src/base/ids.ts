// Identifiers as their own types, so that one kind is never passed for another.
// Invariant: an id is opaque, lower case and never reused.

export type AccountId = string & { readonly account: unique symbol };
export type KeyId = string & { readonly key: unique symbol };
export type PublicKeyId = string & { readonly publicKey: unique symbol };
export type OrderId = string & { readonly order: unique symbol };
export type FillId = string & { readonly fill: unique symbol };
export type MarketId = string & { readonly market: unique symbol };
export type NodeId = string & { readonly node: unique symbol };
export type ReleaseId = string & { readonly release: unique symbol };
export type AcceptanceId = string & { readonly acceptance: unique symbol };
export type MandateId = string & { readonly mandate: unique symbol };
/** A request for quotes, and one quote for it. */
export type RfqId = string & { readonly rfq: unique symbol };
export type RfqQuoteId = string & { readonly rfqQuote: unique symbol };
export type WebhookId = string & { readonly webhook: unique symbol };
export type AuctionId = string & { readonly auction: unique symbol };
export type ProposalId = string & { readonly proposal: unique symbol };
export type AnnouncementId = string & { readonly announcement: unique symbol };

export const accountId = (text: string): AccountId => text as AccountId;
export const keyId = (text: string): KeyId => text as KeyId;
export const publicKeyId = (text: string): PublicKeyId => text as PublicKeyId;
export const orderId = (text: string): OrderId => text as OrderId;
/**
 * Orders are numbered as they are placed, and an amendment keeps the number; NaN of what is no
 * order's id. Digit by digit, for a dozen look-ups an order ask.
 */
export function orderNumber(id: OrderId): number {
  let number = id.length > "ord-".length ? 0 : Number.NaN;
  for (let at = "ord-".length; at < id.length; at += 1) {
    const digit = id.charCodeAt(at) - 48;
    number = digit >= 0 && digit <= 9 ? number * 10 + digit : Number.NaN;
  }
  return number;
}
export const fillId = (text: string): FillId => text as FillId;
export const marketId = (text: string): MarketId => text as MarketId;
/** Node ids are matched without regard to case on input. */
export const nodeId = (text: string): NodeId => text.toLowerCase() as NodeId;
export const acceptanceId = (text: string): AcceptanceId => text as AcceptanceId;
export const mandateId = (text: string): MandateId => text as MandateId;
export const rfqId = (text: string): RfqId => text as RfqId;
export const rfqQuoteId = (text: string): RfqQuoteId => text as RfqQuoteId;
export const webhookId = (text: string): WebhookId => text as WebhookId;
export const auctionId = (text: string): AuctionId => text as AuctionId;
export const proposalId = (text: string): ProposalId => text as ProposalId;
export const announcementId = (text: string): AnnouncementId => text as AnnouncementId;
export const releaseId = (text: string): ReleaseId => text as ReleaseId;
