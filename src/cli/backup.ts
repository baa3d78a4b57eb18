// firstprint backup and restore: they become the program that does it, on the exchange's machine.
// Invariant: neither asks a running exchange for anything but its database.
import type { CliCommand } from "./command.ts";
import { become } from "./program.ts";

const keys = {
  value: "folder",
  about: "of what opens the backup: secrets and the keys of persons' data, sealed",
  required: true,
} as const;

const secret = {
  value: "file",
  about: "that holds the secret the keys are sealed under, mode 600",
  required: true,
} as const;

const take: CliCommand = {
  words: "backup",
  about:
    "Back up a running exchange: its database with every raw file, and, sealed in a second " +
    "folder, its secrets. FIRSTPRINT_DATA_DIR and DATABASE_URL name it",
  options: {
    to: { value: "folder", about: "made for the backup", required: true },
    keys,
    secret,
  },
  example: "backup --to /backups/monday --keys /safe/monday --secret /etc/backup-secret",
  needs: "nothing",
  run: async ({ args }) =>
    become("src/backup.ts", ["backup", ...named(args.given("to", "keys", "secret"))]),
};

const restore: CliCommand = {
  words: "restore",
  about:
    "Put a backup up elsewhere and judge it: chain, checkpoints, first prints, raw files. Fails " +
    "when anything is not as it was",
  options: {
    from: { value: "folder", about: "the backup", required: true },
    keys,
    secret,
    check: { about: "in a folder and a server of its own, which are removed again" },
    to: {
      value: "folder",
      about: "the new data folder; with DATABASE_URL the empty database there is filled",
    },
  },
  example: "restore --check --from /backups/monday --keys /safe/monday --secret /etc/backup-secret",
  needs: "nothing",
  run: async ({ args }) =>
    become("src/backup.ts", [
      "restore",
      ...(args.flag("check") ? ["--check"] : []),
      ...named(args.given("from", "keys", "secret", "to")),
    ]),
};

const named = (given: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(given).map(([name, value]) => `--${name}=${value}`);

const acceptLoss: CliCommand = {
  words: "accept-loss",
  about:
    "Let the exchange lead a journal that lacks its newest entries, which the checkpoints in its " +
    "data folder know of: its next entry tells of the loss and the reason",
  options: {
    reason: { value: "text", about: "the person who decides it, and why", required: true },
  },
  example: 'accept-loss --reason "Mina Roth: the disk of db-1 is gone, and this is all there is"',
  needs: "nothing",
  run: async ({ args }) => become("src/backup.ts", ["accept-loss", ...named(args.given("reason"))]),
};

const acceptClock: CliCommand = {
  words: "accept-clock",
  about:
    "Say that this machine's clock is right, where its node does not follow it: the audit trail " +
    "tells of it and the reason",
  options: {
    reason: { value: "text", about: "the person who decides it, and why", required: true },
  },
  example: 'accept-clock --reason "Mina Roth: the machine stood still, its clock agrees with NTP"',
  needs: "nothing",
  run: async ({ args }) =>
    become("src/backup.ts", ["accept-clock", ...named(args.given("reason"))]),
};

const rotate: CliCommand = {
  words: "secret rotate",
  about:
    "Put a new pepper, checkpoint-key or admin-secret into a node's data folder, for its next " +
    "start; its audit trail tells of it",
  takes: ["name"],
  options: {
    reason: { value: "text", about: "the person who decides it, and why", required: true },
    overlap: {
      value: "time",
      about: "how long the old pepper or checkpoint-key counts beside it; 30d when left out",
    },
  },
  example: 'secret rotate pepper --reason "Mina Roth: yearly rotation" --overlap 30d',
  needs: "nothing",
  run: async ({ args }) =>
    become("src/secret.ts", [...named(args.given("reason", "overlap")), "--", args.word("name")]),
};

export const backupCommands: readonly CliCommand[] = [
  take,
  restore,
  acceptLoss,
  acceptClock,
  rotate,
];
