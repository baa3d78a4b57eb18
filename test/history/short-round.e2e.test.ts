// A short round from another seed: enough to find a seeded bug.
import { test } from "node:test";
import { playRound } from "./round.ts";

const SECONDS = 10;

test(`${SECONDS} s of kills, pauses and cuts`, (t) => playRound(t, 99, SECONDS));
