// Workbooks that are none, that lie about themselves, or that would cost more than they are worth.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readCensusHvs } from "#ingest/sources/census-hvs.ts";
import { readWorkbook } from "#ingest/sources/workbook.ts";
import { workbookLimits } from "#ingest/sources/zip-parts.ts";
import { hvsGrid, hvsRefusal, readHvs } from "./hvs-file.ts";
import { between, pieces, randomFrom } from "./wide-file.ts";
import { type Parts, partsOf, workbookOf, zipOf } from "./workbook-file.ts";

const SHEET = "xl/worksheets/sheet1.xml";

/** The workbook of the metro table with one part changed. */
function withPart(name: string, change: (content: string) => string): Buffer {
  const parts: Parts = partsOf(hvsGrid("metro"));
  parts.set(name, change(String(parts.get(name) ?? "")));
  return zipOf(parts);
}

async function codeFor(bytes: Uint8Array): Promise<string | undefined> {
  return (await hvsRefusal(bytes, "metro"))?.code;
}

test("a part larger than all parts may be is refused before it is unpacked", async () => {
  const bomb = withPart(SHEET, (sheet) =>
    sheet.replace("<sheetData>", `<sheetData>${" ".repeat(40 * 1024 * 1024)}`),
  );
  assert.ok(bomb.length < 200_000, `${bomb.length} bytes`);
  assert.equal(await codeFor(bomb), "TOO_LARGE");
});

test("a part that says it is smaller than it is stops where it said", async () => {
  const parts = partsOf(hvsGrid("metro"));
  parts.set("xl/media/noise.bin", Buffer.alloc(40 * 1024 * 1024));
  const lying = zipOf(parts, { sizes: new Map([["xl/media/noise.bin", 1000]]) });
  assert.match(String(await codeFor(lying)), /^(BAD_WORKBOOK|TOO_LARGE)$/);
});

test("too many parts, cells, bytes or too much time are each refused", async () => {
  const bytes = workbookOf(hvsGrid("metro"));
  const tight = [
    { packedBytes: bytes.length - 1 },
    { unpackedBytes: 1000 },
    { parts: 3 },
    { cells: 100 },
    { millis: 0 },
  ];
  for (const limit of tight) {
    await assert.rejects(
      readCensusHvs(pieces(bytes), "metro", { ...workbookLimits, ...limit }),
      { name: "ReleaseRefusal", code: "TOO_LARGE" },
      JSON.stringify(limit),
    );
  }
  const enough = { ...workbookLimits, packedBytes: bytes.length, parts: 4 };
  await readCensusHvs(pieces(bytes), "metro", enough);
});

test("what a part may nest, repeat or list is bounded, however small it is packed", async (t) => {
  const deep = (levels: number) => "<g>".repeat(levels) + "</g>".repeat(levels);
  const many = (count: number) => Array.from({ length: count }, (_, at) => `a${at}="1"`).join(" ");
  const into = (part: string, tag: string, more: string) =>
    withPart(part, (content) => content.replace(tag, `${tag}${more}`));
  const links = "xl/_rels/workbook.xml.rels";
  const [strings, book] = ["xl/sharedStrings.xml", "xl/workbook.xml"];
  const link = '<Relationship Id="x" Target="none"/>';
  const grown = (times: number): readonly Buffer[] => [
    into(SHEET, "<worksheet>", deep(30 * times)),
    into(strings, "<sst>", deep(30 * times)),
    into(book, "<sheets>", deep(30 * times)),
    into(links, "<Relationships>", deep(30 * times)),
    into(SHEET, "<worksheet>", `<g ${many(50 * times)}/>`),
    into(links, "<Relationships>", link.repeat(100 * times)),
  ];
  for (const [at, bytes] of grown(1).entries())
    assert.equal(await codeFor(bytes), undefined, `${at}`);
  const sizes = grown(3).map(({ length }) => length);
  assert.ok(Math.max(...sizes) < 20_000, `${sizes} bytes`);
  t.diagnostic(`after: ${sizes.length} workbooks of ${sizes.join(", ")} bytes are TOO_LARGE`);
  for (const [at, bytes] of grown(3).entries()) {
    assert.equal(await codeFor(bytes), "TOO_LARGE", `case ${at}`);
  }
  const empty = into(strings, "<sst>", "<si/>".repeat(workbookLimits.cells + 1));
  assert.equal(await codeFor(empty), "TOO_LARGE", "texts that no cell shows");
  const listed = into(book, "<sheets>", '<sheet name="s" r:id="rId1"/>'.repeat(300));
  assert.equal(await codeFor(listed), "TOO_LARGE", "one sheet, listed again and again");
});

test("cells are counted over all sheets, also where one part is several of them", async () => {
  const { length: cells } = hvsGrid("metro")
    .flat()
    .filter((cell) => cell !== null);
  const limits = { ...workbookLimits, cells: 2 * cells };
  const shown = (times: number) =>
    readWorkbook(
      pieces(
        zipOf(
          partsOf(
            hvsGrid("metro"),
            Array.from({ length: times }, (_, at) => `S${at}`),
          ),
        ),
      ),
      limits,
    );
  assert.equal((await shown(2)).length, 2);
  await assert.rejects(shown(3), { code: "TOO_LARGE" });
});

test("a container inside a container is a part like any other, and is not opened", async () => {
  const inner = zipOf([["xl/bomb.bin", Buffer.alloc(40 * 1024 * 1024)]]);
  const outer = zipOf([...partsOf(hvsGrid("metro")), ["xl/embeddings/inner.xlsx", inner]]);
  assert.equal(await codeFor(outer), undefined);
  assert.equal(await codeFor(zipOf([[SHEET, inner]])), "BAD_WORKBOOK");
});

test("an endless upload is left at the limit", async () => {
  let sent = 0;
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (;;) {
      sent += 65_536;
      yield Buffer.alloc(65_536, 0x50);
    }
  }
  await assert.rejects(readWorkbook(endless()), { code: "TOO_LARGE" });
  assert.ok(sent <= workbookLimits.packedBytes + 65_536, `${sent} bytes were read`);
});

test("a document type is refused, and with it every entity it declares", async () => {
  const laughs = Array.from(
    { length: 9 },
    (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`,
  ).join("");
  const bomb = withPart("xl/sharedStrings.xml", (strings) =>
    strings.replace(
      "<sst>",
      `<!DOCTYPE sst [<!ENTITY l0 "ha">${laughs}]><sst><si><t>&l9;</t></si>`,
    ),
  );
  const refusal = await hvsRefusal(bomb, "metro");
  assert.equal(refusal?.code, "BAD_WORKBOOK");
  assert.match(refusal?.message ?? "", /document type/);
  const unknown = withPart("xl/sharedStrings.xml", (strings) =>
    strings.replace("<sst>", "<sst><si><t>&l9;</t></si>"),
  );
  assert.equal(await codeFor(unknown), "BAD_WORKBOOK");
});

test("broken inside, a workbook is refused as such", async () => {
  const broken = [
    withPart(SHEET, (sheet) => sheet.slice(0, -30)),
    withPart(SHEET, (sheet) => sheet.replace("</c>", "")),
    withPart(SHEET, (sheet) => sheet.replace('t="s"><v>0<', 't="s"><v>99999<')),
    withPart(SHEET, (sheet) => sheet.replace('r="A1"', 'r="1A"')),
    withPart(SHEET, (sheet) => sheet.replace(/<row r="9".*?<\/row>/, (row) => row + row)),
    withPart("xl/_rels/workbook.xml.rels", (links) => links.replace("sheet1.xml", "sheet9.xml")),
    zipOf(partsOf(hvsGrid("metro"), ["Sheet1", "Sheet2"])),
    zipOf(partsOf(hvsGrid("metro"), [])),
    zipOf([...partsOf(hvsGrid("metro")), ["xl/workbook.xml", "<workbook/>"]]),
    zipOf([["mimetype", "application/vnd.oasis.opendocument.spreadsheet"]]),
    zipOf([]),
  ];
  for (const [at, bytes] of broken.entries()) {
    const code = await codeFor(bytes);
    assert.equal(code, at === broken.length - 1 ? "OTHER_PROVIDER" : "BAD_WORKBOOK", `case ${at}`);
  }
});

test("what is no workbook is named", async () => {
  assert.equal(await codeFor(Buffer.alloc(0)), "EMPTY_FILE");
  assert.equal(await codeFor(Buffer.from("DATE,VALUE\n2022-01-01,5.8\n")), "OTHER_PROVIDER");
  assert.equal(await codeFor(Buffer.from("d0cf11e0a1b11ae1", "hex")), "BAD_WORKBOOK");
});

test("cut anywhere, a workbook is refused", async () => {
  const bytes = workbookOf(hvsGrid("metro"));
  const random = randomFrom(3);
  for (let version = 0; version < 40; version += 1) {
    const length = between(random, 1, bytes.length);
    const code = await codeFor(bytes.subarray(0, length));
    assert.match(String(code), /^(BAD_WORKBOOK|OTHER_PROVIDER)$/, `${length} bytes`);
  }
});

test("a byte changed anywhere is refused, or changes nothing of what is read", async (context) => {
  const bytes = workbookOf(hvsGrid("metro"));
  const honest = await readHvs(bytes, "metro");
  const random = randomFrom(4);
  let refused = 0;
  for (let version = 0; version < 300; version += 1) {
    const changed = Buffer.from(bytes);
    const at = between(random, 0, bytes.length);
    changed[at] = (changed[at] ?? 0) ^ (1 << between(random, 0, 8));
    const refusal = await hvsRefusal(changed, "metro");
    if (refusal !== undefined) refused += 1;
    else assert.deepEqual(await readHvs(changed, "metro"), honest, `byte ${at}`);
  }
  assert.ok(refused > 200, `${refused} refused`);
  context.diagnostic(`${refused} of 300 refused, the others read as before (dates, flags)`);
});

test("a fault of the source stays that fault", async () => {
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield workbookOf(hvsGrid("metro")).subarray(0, 5000);
    throw new Error("disk gone");
  }
  await assert.rejects(readCensusHvs(broken(), "metro"), /disk gone/);
});
