// Tells a fault of disk or database, which an operator mends, from a mistake of our own.
// Invariant: an error that names neither is not taken for one.

/** Of the file system; of the way to the database, where a system call is named beside it. */
const fileCodes = new Set(["ENOSPC", "EDQUOT", "EROFS", "EIO", "EMFILE", "ENFILE"]);
const wayCodes = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "EHOSTUNREACH"]);

/** No server takes writes; this one takes none, as a standby; an object store fails. */
const serverCodes = new Set(["NO_WRITABLE_HOST", "25006", "OBJECT_STORE"]);

/**
 * SQLSTATE classes: connection, insufficient resources, the operator's intervention, the system
 * itself. https://www.postgresql.org/docs/18/errcodes-appendix.html
 */
const sqlState = /^(08|53|57|58)[0-9A-Z]{3}$/;

/** The driver's messages without a code, each by its beginning. */
const driverSays = [
  "Connection terminated",
  "Query read timeout",
  "timeout expired",
  "timeout exceeded when trying to connect",
  "Client has encountered a connection error",
];

export function isStorageFault(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  if (fileCodes.has(code) || serverCodes.has(code) || sqlState.test(code)) return true;
  const isCall = "syscall" in error;
  // A server that is down has no socket file.
  const isNoServer = code === "ENOENT" && isCall && error.syscall === "connect";
  if (isNoServer || (isCall && wayCodes.has(code))) return true;
  return code === "" && driverSays.some((said) => error.message.startsWith(said));
}
