// Why a file could not be fetched: a name for each cause, and a sentence for the log.
// Invariant: a fault means that nothing was put to the exchange.

export type DownloadFaultCode =
  | "NOT_CONNECTED"
  | "PRIVATE_ADDRESS"
  | "NOT_ALLOWED"
  | "TOO_MANY_REDIRECTS"
  | "BAD_STATUS"
  | "BAD_ENCODING"
  | "NOT_A_FILE"
  | "TOO_LARGE"
  | "STALLED"
  | "TOO_SLOW"
  | "BROKEN_OFF"
  | "NO_NAME"
  | "NOT_APPLIED";

export class DownloadFault extends Error {
  override readonly name = "DownloadFault";
  readonly code: DownloadFaultCode;
  /** The server answered that there is no such file. */
  readonly isNowhere: boolean;

  constructor(
    code: DownloadFaultCode,
    message: string,
    { isNowhere = false, ...options }: ErrorOptions & { readonly isNowhere?: boolean } = {},
  ) {
    super(message, options);
    this.code = code;
    this.isNowhere = isNowhere;
  }
}
