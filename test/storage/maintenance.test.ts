// Work on a data folder that the audit trail is to tell of.
// Invariant tested: a note leaves the folder when it was entered, and at no other time.
import assert from "node:assert/strict";
import { chmod, readdir } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { enterMaintenance, noteMaintenance } from "#storage/maintenance.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";

const folderOf = (t: TestContext): Promise<string> => temporaryFolder(t, "firstprint-notes-");

const note = (subject: string) =>
  ({ work: "secret_changed", subject, before: "", after: "", reason: "yearly rotation" }) as const;

const entered = async (
  folder: string,
  also: (subject: string) => Promise<void> = async () => {},
): Promise<readonly string[]> => {
  const subjects: string[] = [];
  await enterMaintenance(folder, async ({ subject }) => {
    subjects.push(subject);
    await also(subject);
  });
  return subjects;
};

test("notes are entered in the order they were made, once", async (t) => {
  const folder = await folderOf(t);
  for (const subject of ["pepper", "admin-secret"]) {
    await noteMaintenance(folder, note(subject));
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  assert.deepEqual(await entered(folder), ["pepper", "admin-secret"]);
  assert.deepEqual(await entered(folder), []);
  assert.deepEqual(await readdir(folder), []);
});

test("a note that is made while others are entered stays for the next time", async (t) => {
  const folder = await folderOf(t);
  await noteMaintenance(folder, note("pepper"));
  const during = () => noteMaintenance(folder, note("admin-secret"));
  assert.deepEqual(await entered(folder, during), ["pepper"]);
  assert.deepEqual(await entered(folder), ["admin-secret"]);
});

test("a note that was not taken stays, and so does one that cannot be read", async (t) => {
  const folder = await folderOf(t);
  await noteMaintenance(folder, note("pepper"));
  const refuses = async (): Promise<void> => {
    throw new Error("not taken");
  };
  await assert.rejects(entered(folder, refuses), /not taken/);
  const [name = ""] = await readdir(folder);
  await chmod(join(folder, name), 0o644);
  await assert.rejects(entered(folder), /can be read or written by other users/);
  assert.deepEqual(await readdir(folder), [name]);
  await chmod(join(folder, name), 0o600);
  assert.deepEqual(await entered(folder), ["pepper"]);
});
