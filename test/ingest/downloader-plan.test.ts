// The operator's download file, one mistake at a time, and the addresses it may lead to.
// Invariant tested: a mistake is named by its field, and no address of our own network passes.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import {
  isForbiddenHost,
  isLoopbackHost,
  mayConnect,
  networksOf,
} from "#ingest/downloads/address-guard.ts";
import { addressesOf } from "#ingest/downloads/file-name.ts";
import {
  downloadPace,
  publicationMillis,
  regularMillis,
  retryMillis,
} from "#ingest/downloads/pace.ts";
import { DownloadPlanFault, loadDownloadPlan, readDownloadPlan } from "#ingest/downloads/plan.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";

const source = {
  provider: "zillow",
  index: "zhvi",
  level: "state",
  url: "https://files.example.org/state.csv?t=1",
  everyHours: 24,
};
const other = { ...source, level: "zip" };
const allow = ["https://files.example.org", "http://localhost:8080", "http://[::1]:8080"];

const planOf = (...sources: readonly unknown[]): string => JSON.stringify({ allow, sources });
const allowing = (...origins: readonly unknown[]): string =>
  JSON.stringify({ allow: [...allow, ...origins], sources: [source] });

/** The text, and what is said of it. */
const mistakes: readonly (readonly [string, RegExp])[] = [
  ["{", /^no JSON: /],
  ["[]", /^the file must be an object of allow, sources$/],
  ["null", /^the file must be an object/],
  [JSON.stringify({ sources: [source] }), /^allow must be a list of 1 to 100$/],
  [JSON.stringify({ allow: [], sources: [source] }), /^allow must be a list/],
  [JSON.stringify({ allow, sources: [] }), /^sources must be a list of 1 to 100$/],
  [JSON.stringify({ allow, sources: Array(101).fill(source) }), /^sources must be a list/],
  [JSON.stringify({ allow, sources: [source], every: 1 }), /^every is no field; they are allow, /],
  [planOf("x"), /^sources\[0\] must be an object of provider, index, level, url, date/],
  [planOf(source, { ...other, hours: 1 }), /^sources\[1\]\.hours is no field/],
  [planOf({ ...source, provider: "sample" }), /^sources\[0\]\.provider must be one of zillow, ce/],
  [planOf({ ...source, provider: undefined }), /^sources\[0\]\.provider must be one of/],
  [planOf({ ...source, index: "weather" }), /^sources\[0\]\.index must be one of zhvi, zori$/],
  [planOf({ ...source, level: "nation" }), /^sources\[0\]\.level must be one of state, metro, /],
  [planOf({ ...source, url: "state.csv" }), /^sources\[0\]\.url must be an address of ≤ 2000/],
  [planOf({ ...source, url: `${source.url}${"x".repeat(2000)}` }), /^sources\[0\]\.url must be an/],
  [
    planOf({ ...source, url: "https://elsewhere.example.org/" }),
    /^sources\[0\]\.url must begin wi/,
  ],
  [planOf({ ...source, url: "http://files.example.org/" }), /^sources\[0\]\.url must begin with/],
  [planOf({ ...source, url: "https://files.example.org:444/" }), /^sources\[0\]\.url must begin/],
  [planOf({ ...source, url: "https://a:b@files.example.org/" }), /^sources\[0\]\.url must have ne/],
  [planOf({ ...source, url: "https://files.example.org/#a" }), /^sources\[0\]\.url must have nei/],
  [planOf({ ...source, everyHours: 0 }), /^sources\[0\]\.everyHours must be a whole number from 1/],
  [planOf({ ...source, everyHours: 745 }), /^sources\[0\]\.everyHours must be .* to 744$/],
  [planOf({ ...source, everyHours: 1.5 }), /^sources\[0\]\.everyHours must be/],
  [planOf({ ...source, everyHours: "24" }), /^sources\[0\]\.everyHours must be/],
  [planOf(source, other, source), /^sources\[2\] has the index and level of sources\[0\]$/],
  [allowing(7), /^allow\[3\] must be scheme, host and port alone/],
  [allowing("files.example.org"), /^allow\[3\] must be scheme, host and port alone/],
  [allowing("https://files.example.org/"), /^allow\[3\] must be scheme, host and port alone/],
  [allowing("https://files.example.org:443"), /^allow\[3\] must be scheme, host and port alone/],
  [allowing("https://*.example.org/a"), /^allow\[3\] must be scheme, host and port alone/],
  [allowing("http://files.example.org"), /^allow\[3\] must be https; http is for this machine/],
  [allowing("ftp://localhost"), /^allow\[3\] must be https/],
  [allowing("https://10.1.2.3"), /^allow\[3\] must not be a private address outside/],
  [allowing("https://[fd00::1]"), /^allow\[3\] must not be a private address outside/],
  [allowing("https://169.254.169.254"), /^allow\[3\] must not be a private address outside/],
];

test("each mistake in the file is named", () => {
  for (const [text, said] of mistakes) {
    assert.throws(
      () => readDownloadPlan(text),
      (error) => error instanceof DownloadPlanFault && said.test(error.message),
      `${text.slice(0, 200)} should say ${said}`,
    );
  }
});

test("a good file is taken as it stands", () => {
  const plan = readDownloadPlan(planOf(source, other));
  const [rain, warm, rates] = [
    { ...source, provider: "noaa", index: "weather" },
    { ...source, provider: "noaa", index: "weather", url: `${source.url}2` },
    { ...source, provider: "fred", index: "vacancy", level: "nation" },
  ];
  assert.equal(readDownloadPlan(planOf(rain, warm, rates)).sources.length, 3);
  assert.throws(() => readDownloadPlan(planOf(rain, warm, warm)), /^.*sources\[2\] has the index/);
  assert.deepEqual([...plan.allow], allow);
  assert.deepEqual(plan.sources, [
    { ...source, url: new URL(source.url) },
    { ...other, url: new URL(source.url) },
  ]);
});

test("a file that is not there, or wrong, is named with its setting", async (t) => {
  const folder = await temporaryFolder(t, "firstprint-plan-");
  const path = join(folder, "downloads.json");
  await assert.rejects(loadDownloadPlan(path), {
    name: "DownloadPlanFault",
    message: /^FIRSTPRINT_DOWNLOADS \(.*downloads\.json\): ENOENT/,
  });
  await writeFile(path, planOf({ ...source, everyHours: 0 }));
  await assert.rejects(loadDownloadPlan(path), {
    message: /^FIRSTPRINT_DOWNLOADS \(.*downloads\.json\): sources\[0\]\.everyHours must be/,
  });
  await writeFile(path, planOf(source));
  assert.equal((await loadDownloadPlan(path)).sources.length, 1);
});

const over = (hostname: string) => ({ hostname, protocol: "https:" });
const files = over("files.example.org");

/** At the edges of the ranges where those are public on the other side. */
const privateAddresses = [
  "0.0.0.0",
  "10.0.0.0",
  "10.255.255.255",
  "100.64.0.0",
  "100.127.255.255",
  "127.0.0.1",
  "169.254.169.254",
  "172.16.0.0",
  "172.31.255.255",
  "192.0.0.8",
  "192.0.2.1",
  "192.168.0.0",
  "192.168.255.255",
  "198.18.0.1",
  "198.19.255.255",
  "198.51.100.7",
  "203.0.113.7",
  "224.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::ffff:10.0.0.1",
  "::ffff:8.8.8.8",
  "64:ff9b::a00:1",
  "2001::1",
  "2001:db8::1",
  "2002:a00:1::1",
  "3fff::1",
  "4000::1",
  "fc00::1",
  "fd12:3456::1",
  "fe80::1",
  "fe80::1%eth0",
  "ff02::1",
  "no address",
  "",
];
const publicAddresses = [
  "1.1.1.1",
  "9.255.255.255",
  "11.0.0.0",
  "100.63.255.255",
  "100.128.0.0",
  "172.15.255.255",
  "172.32.0.0",
  "192.167.255.255",
  "192.169.0.0",
  "223.255.255.255",
  "2001:200::1",
  "2606:4700::1111",
];

test("a public name leads to public addresses alone, a loopback name to loopback alone", () => {
  for (const address of privateAddresses) {
    assert.equal(mayConnect(files, address), false, address);
    const isLoopback = address === "127.0.0.1" || address === "::1";
    assert.equal(mayConnect(over("localhost"), address), isLoopback, address);
  }
  for (const address of publicAddresses) {
    assert.equal(mayConnect(files, address), true, address);
    assert.equal(mayConnect(over("localhost"), address), false, address);
    assert.equal(isForbiddenHost(over(address)), false, address);
  }
  for (const host of ["localhost", "127.0.0.1", "127.255.0.1", "[::1]"]) {
    assert.equal(isLoopbackHost(host), true, host);
    assert.equal(isForbiddenHost(over(host)), false, host);
  }
  for (const host of ["localhost.", "localhost.example.org", "127.example.org", "10.0.0.1"]) {
    assert.equal(isLoopbackHost(host), false, host);
  }
  assert.equal(isForbiddenHost(over("10.0.0.1")), true);
  assert.equal(isForbiddenHost(over("[fe80::1]")), true);
});

test("a mirror on a network of the operator's own may be reached, also without TLS", () => {
  const networks = networksOf([{ address: "10.1.0.0", prefix: 16, family: "ipv4" }]);
  const mirror = over("mirror.example.org");
  const plain = { ...mirror, protocol: "http:" };
  assert.equal(mayConnect(mirror, "10.1.2.3", networks), true);
  assert.equal(mayConnect(plain, "10.1.2.3", networks), true);
  assert.equal(mayConnect(mirror, "10.2.0.1", networks), false, "of another network");
  assert.equal(mayConnect(mirror, "1.1.1.1", networks), true);
  assert.equal(mayConnect(plain, "1.1.1.1", networks), false, "a public address needs TLS");
  assert.equal(mayConnect(over("localhost"), "10.1.2.3", networks), false);
  assert.equal(isForbiddenHost(over("10.1.2.3"), networks), false);
  assert.equal(isForbiddenHost(over("10.2.0.1"), networks), true);

  const origins = ["http://mirror.example.org", "https://10.1.2.3", "http://10.1.2.3:8080"];
  const text = JSON.stringify({
    allow: origins,
    sources: [{ ...source, url: `${origins[0]}/state.csv` }],
  });
  assert.deepEqual([...readDownloadPlan(text, networks).allow], origins);
  assert.throws(() => readDownloadPlan(text), /^.*allow\[0\] must be https/);
  const other = text.replace("https://10.1.2.3", "https://10.2.0.1");
  assert.throws(
    () => readDownloadPlan(other, networks),
    /allow\[1\] must not be a private address/,
  );
});

const of = (url: string, more: object = {}): string =>
  planOf({ ...source, url: `https://files.example.org/${url}`, ...more });

test("a name that changes has its date or its year in braces, and says where that is read", () => {
  const readOne = (text: string) => readDownloadPlan(text).sources[0];
  const weather = readOne(of("climdiv/climdiv-tmpcst-v1.0.0-{date}"));
  assert.equal(weather?.dateFrom?.href, "https://files.example.org/climdiv/procdate.txt");
  const elsewhere = { dateFrom: "https://files.example.org/day.txt" };
  assert.equal(readOne(of("a-{date}", elsewhere))?.dateFrom?.pathname, "/day.txt");
  const page = { page: "https://files.example.org/rates.html" };
  assert.equal(readOne(of("tab4_msa_{yy}_rvr.xlsx", page))?.page?.pathname, "/rates.html");
  assert.equal(readOne(of("tab1_state05_{year}_rvr.xlsx"))?.page, undefined);
  const wrong: readonly (readonly [string, RegExp])[] = [
    [of("a-{month}"), /sources\[0\]\.url knows \{date\}, \{year\} and \{yy\}, not \{month\}/],
    [of("a?d={date}"), /sources\[0\]\.url must have \{date\}, .* in its path alone/],
    [of("a-{date}-{year}"), /sources\[0\]\.url must have \{date\} or a year, not both/],
    [of("a-{year}", elsewhere), /sources\[0\]\.dateFrom is for a url with \{date\}/],
    [of("a", page), /sources\[0\]\.page is for a url with \{year\} or \{yy\}/],
    [of("a-{date}", { dateFrom: "https://elsewhere.org/d" }), /sources\[0\]\.dateFrom must begin/],
    [of("a-{yy}", { page: "https://elsewhere.org/d" }), /sources\[0\]\.page must begin/],
  ];
  for (const [text, said] of wrong) assert.throws(() => readDownloadPlan(text), said, text);
});

const [lakes, history] = [
  { ...source, provider: "census", index: "vacancy", level: "metro" },
  { ...source, provider: "census", index: "vacancy", level: "metro", url: `${source.url}2` },
];

test("the metros' vacancy may come from two files, and nothing else from two", () => {
  assert.equal(readDownloadPlan(planOf(history, lakes)).sources.length, 2);
  assert.throws(() => readDownloadPlan(planOf(lakes, lakes)), /sources\[1\] has the index/);
  const [one, two] = [lakes, history].map((file) => ({ ...file, level: "state" }));
  assert.throws(() => readDownloadPlan(planOf(one, two)), /sources\[1\] has the index/);
});

/** Every question is answered from this table. */
const texts = (answers: Readonly<Record<string, string>>) => (url: URL) =>
  Promise.resolve(answers[url.pathname] ?? assert.fail(url.href));
const today = Date.UTC(2027, 0, 9);
const addresses = async (text: string, answers: Readonly<Record<string, string>> = {}) => {
  const [one] = readDownloadPlan(text).sources;
  const found = await addressesOf(one ?? assert.fail("no source"), texts(answers), today);
  return found.map(({ pathname }) => pathname);
};

test("the date is read where NOAA names it, the year off a page or from the calendar", async () => {
  assert.deepEqual(await addresses(of("state.csv")), ["/state.csv"]);
  const day = { "/d/procdate.txt": "20270106\n" };
  assert.deepEqual(await addresses(of("d/a-{date}.txt"), day), ["/d/a-20270106.txt"]);
  for (const bad of ["", "<html>", "2027-01-06", "20270106/../x", "99990106"]) {
    await assert.rejects(addresses(of("d/a-{date}"), { "/d/procdate.txt": bad }), {
      code: "NO_NAME",
    });
  }
  assert.deepEqual(await addresses(of("a_{year}_{yy}.xlsx")), [
    "/a_2027_27.xlsx",
    "/a_2026_26.xlsx",
  ]);
  const page = { page: "https://files.example.org/hvs/rates.html" };
  const file = "hvs/rates/tab4b_msa_15_{yy}_rvr.xlsx";
  const links = [
    '<a href="/hvs/rates/tab4b_msa_15_24_rvr.xlsx">',
    "<a class=x href='rates/tab4b_msa_15_25_rvr.xlsx'>",
    "<a href=https://files.example.org/hvs/rates/tab4_msa_26_rvr.xlsx>",
    '<a href="https://elsewhere.example.org/hvs/rates/tab4b_msa_15_26_rvr.xlsx">',
    '<a href="/hvs/rates/tab4b_msa_15_2099_rvr.xlsx">',
  ].join("\n");
  const found = await addresses(of(file, page), { "/hvs/rates.html": links });
  assert.deepEqual(found, ["/hvs/rates/tab4b_msa_15_25_rvr.xlsx"]);
  await assert.rejects(addresses(of(file, page), { "/hvs/rates.html": "<p>moved</p>" }), {
    code: "NO_NAME",
    message: /^https:\/\/files\.example\.org\/hvs\/rates\.html links to no such file\.$/,
  });
});

const HOUR = 3_600_000;
const MINUTE = 60_000;

test("waits are drawn a little apart, and double with each failure up to the regular one", () => {
  const drawing = (drawn: number) => ({ ...downloadPace, random: () => drawn });
  assert.equal(regularMillis(24, drawing(0)), 24 * HOUR);
  assert.equal(regularMillis(24, drawing(0.5)), 24 * HOUR * 1.05);
  const drawn = Array.from({ length: 8 }, () => regularMillis(24, downloadPace));
  assert.ok(new Set(drawn).size > 1, "no two exchanges keep step");

  const waits = [1, 2, 3, 7, 8, 60].map((failures) => retryMillis(2, failures, drawing(0)));
  assert.deepEqual(
    waits,
    [1, 2, 4, 64, 120, 120].map((minutes) => minutes * MINUTE),
  );
  assert.equal(retryMillis(2, 1, drawing(0.5)), 1.25 * MINUTE);
  assert.equal(retryMillis(1, 5_000, drawing(0)), HOUR);
});

test("Last-Modified is the time of publication where it can be one", () => {
  const now = Date.UTC(2026, 10, 21, 12);
  const taken = (text: string | null): number => publicationMillis(text, now);
  assert.equal(taken("Thu, 19 Nov 2026 08:00:00 GMT"), Date.UTC(2026, 10, 19, 8));
  assert.equal(taken("Sat, 21 Nov 2026 12:00:00 GMT"), now);
  for (const text of [
    null,
    "",
    "yesterday",
    "2026-11-19T08:00:00",
    "Sat, 21 Nov 2026 12:00:01 GMT",
    "Thu, 01 Jan 1970 00:00:00 GMT",
    "Fri, 17 Oct 2025 12:00:00 GMT",
  ]) {
    assert.equal(taken(text), now, text ?? "none");
  }
});
