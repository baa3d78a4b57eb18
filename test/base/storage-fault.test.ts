// Faults of disk, network, server and driver, told from everything else.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isStorageFault } from "#base/storage-fault.ts";

const fault = (message: string, parts: object = {}): Error =>
  Object.assign(new Error(message), parts);

test("a fault of disk, network, server or driver is one of storage", () => {
  for (const error of [
    fault("ENOSPC: no space left on device, write", { code: "ENOSPC", syscall: "write" }),
    fault("connect ENOENT /data/.s.PGSQL.5432", { code: "ENOENT", syscall: "connect" }),
    fault("read ECONNRESET", { code: "ECONNRESET", syscall: "read" }),
    fault("could not extend file", { code: "53100" }),
    fault("the database system is starting up", { code: "57P03" }),
    fault("cannot execute INSERT in a read-only transaction", { code: "25006" }),
    fault("No host of DATABASE_URL accepts writes: db-1 is read-only", {
      code: "NO_WRITABLE_HOST",
    }),
    fault("Query read timeout"),
    fault("Connection terminated unexpectedly"),
  ]) {
    assert.equal(isStorageFault(error), true, error.message);
  }
});

test("anything else is a mistake of ours, or of the sender", () => {
  for (const error of [
    fault("undefined is not a function"),
    fault("aborted", { code: "ECONNRESET" }),
    fault("no such file", { code: "ENOENT", syscall: "open" }),
    fault("duplicate key value", { code: "23505" }),
    fault("value out of range", { code: "22003" }),
    "ENOSPC",
    undefined,
  ]) {
    assert.equal(isStorageFault(error), false, String(error));
  }
});
