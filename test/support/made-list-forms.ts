// Every form of list that a hierarchy is built from, of the hierarchy itself, and of a file that a
// backtest reads: made-up twins, with what must arrive of them.
// Invariant: as of `made-forms.ts`.
import { type Arrived, dated, type Form, lines, type Refused } from "./made-forms.ts";

export interface ListForm extends Form {
  readonly list: "counties" | "zctas" | "zips" | "homes" | "hierarchy";
  readonly arrives?: unknown;
  readonly refused?: Refused;
}

const places = lines([
  "id,level,name,stateCode,fips,aliases,parentIds,housingUnits,providerIds",
  "county:35998,county,Peña Alta County,NM,35998,,state:nm,80000,zillow:1",
]);

export const listForms: readonly ListForm[] = [
  {
    ...{ list: "counties", from: "2010" },
    particular: "tabs, Latin-1, blanks at the end of lines, housing units",
    bytes: Buffer.from(
      lines([
        "USPS\tGEOID\tANSICODE\tNAME\tPOP10\tHU10\tALAND\tINTPTLONG          ",
        "NM\t35998\t00000001\tPeña Alta County\t1000\t441\t1000\t-100.0      ",
      ]),
      "latin1",
    ),
    arrives: [{ fips: "35998", name: "Peña Alta County", housingUnits: 441 }],
  },
  {
    ...{ list: "counties", from: "2012" },
    particular: "tabs, UTF-8, no housing units",
    bytes: lines([
      "USPS\tGEOID\tANSICODE\tNAME\tALAND\tAWATER\tINTPTLONG          ",
      "NM\t35998\t00000001\tPeña Alta County\t1000\t17\t-100.0      ",
    ]),
    arrives: [{ fips: "35998", name: "Peña Alta County", housingUnits: 0 }],
  },
  {
    ...{ list: "counties", from: "2025" },
    particular: "pipes, a column GEOIDFQ",
    bytes: lines([
      "USPS|GEOID|GEOIDFQ|ANSICODE|NAME|ALAND|AWATER|INTPTLONG",
      "NM|35998|0500000US35998|00000001|Peña Alta County|1000|17|-100.0",
    ]),
    arrives: [{ fips: "35998", name: "Peña Alta County", housingUnits: 0 }],
  },
  {
    ...{ list: "zctas", from: "2012" },
    particular: "tabs, CRLF, a tab at the end of lines",
    bytes: lines(["GEOID\tALAND\tAWATER\tINTPTLAT\t", "08999\t1000\t79\t10.0\t"], "\r\n"),
    arrives: ["08999"],
  },
  {
    ...{ list: "zctas", from: "2025" },
    particular: "pipes",
    bytes: lines(["GEOID|GEOIDFQ|ALAND", "08999|860Z200US08999|1000"]),
    arrives: ["08999"],
  },
  {
    ...{ list: "zips", from: "2017" },
    particular: "a state's FIPS without its zero",
    bytes: lines([
      "state_fips,state,state_abbr,zipcode,county,city",
      "1,Alabama,AL,35004,St. Cedar,Birch",
    ]),
    arrives: [{ zip: "35004", stateCode: "AL", county: "St. Cedar", city: "Birch" }],
  },
  {
    ...{ list: "homes", from: "2020" },
    particular: "a byte order mark, quotes, a second line of headings, a comma at the end of lines",
    bytes: lines([
      '\uFEFF"GEO_ID","NAME","B25003_001E","B25003_001M",',
      '"Geography","Geographic Area Name","Estimate!!Total:","Margin of Error!!Total:",',
      '"0100000US","United States","1274","208",',
      '"860Z200US08999","ZCTA5 08999","7319","12",',
    ]),
    arrives: [["08999", 7_319]],
  },
  {
    ...{ list: "hierarchy", from: "now" },
    particular: "as `firstprint geo build` writes it",
    bytes: places,
    arrives: ["county:35998 Peña Alta County"],
  },
  {
    ...{ list: "hierarchy", from: "now" },
    particular: 'a byte order mark, as "CSV UTF-8" of a spreadsheet has, and CRLF',
    bytes: `\uFEFF${places.replaceAll("\n", "\r\n")}`,
    arrives: ["county:35998 Peña Alta County"],
  },
  {
    ...{ list: "hierarchy", from: "now" },
    particular: "saved by a spreadsheet in windows-1252",
    bytes: Buffer.from(places, "latin1"),
    refused: { code: "NOT_UTF8", line: 2, column: "name" },
  },
  {
    ...{ list: "hierarchy", from: "now" },
    particular: "a spreadsheet's workbook",
    bytes: Buffer.from("504b0304140000000800", "hex"),
    refused: { code: "NOT_UTF8", line: 1, column: null },
  },
];

// Files that a backtest reads.

interface PanelForm extends Form {
  readonly provider: "zillow" | "fhfa";
  /** By `name|level|state`, to four decimals. */
  readonly arrives?: Arrived;
  /** The reason of a refusal. */
  readonly refused?: RegExp;
  readonly notYet?: string;
}

export const panelForms: readonly PanelForm[] = [
  {
    ...{ provider: "fhfa", from: "1995" },
    particular: "metros by quarter, no header, - where there is no value, errors in parentheses",
    bytes: lines([
      '"Alderton, GA-SC",99901,1999,4,-,-',
      '"Alderton, GA-SC",99901,2000,1,100.00,( 1.04)',
      '"Alderton, GA-SC",99901,2000,2,121.00,( 1.10)',
    ]),
    // Months between two quarters stand on a straight line of the logs.
    arrives: {
      "Alderton, GA-SC|metro|GA": {
        ...{ "2000-03": "100.0000", "2000-04": "106.5602", "2000-05": "113.5508" },
        ...{ "2000-06": "121.0000" },
      },
    },
  },
  {
    ...{ provider: "fhfa", from: "1995" },
    particular: "states by quarter, no header, CRLF, a point where there is no value",
    bytes: lines(["GA,1999,3,.", "GA,1999,4,50.25", "GA,2000,1,51.50"], "\r\n"),
    arrives: {
      "GA|state|GA": {
        ...{ "1999-12": "50.2500", "2000-01": "50.6633", "2000-02": "51.0799" },
        ...{ "2000-03": "51.5000" },
      },
    },
  },
  {
    ...{ provider: "fhfa", from: "1995" },
    particular: "the nation and its divisions, by letters, no header: not a level of its own",
    bytes: lines(["DV_ENC,1999,4,50.25", "USA,1999,4,50.25"], "\r\n"),
    refused: /does not say its level/,
  },
  {
    ...{ provider: "fhfa", from: "2015" },
    particular: "one list of everything, with a header: of the metros the same index as their list",
    bytes: lines([
      "hpi_type,hpi_flavor,frequency,level,place_name,place_id,yr,period,index_nsa,index_sa",
      'traditional,all-transactions,quarterly,MSA,"Alderton, GA-SC",99901,2000,1,100.00,',
      'traditional,purchase-only,quarterly,MSA,"Alderton, GA-SC",99901,2000,1,55.00,56.00',
      "traditional,all-transactions,quarterly,State,Georgia,GA,2000,1,51.50,",
    ]),
    arrives: { "Alderton, GA-SC|metro|GA": { "2000-03": "100.0000" } },
  },
  {
    ...{ provider: "zillow", from: "2022-01" },
    particular: "saved again by a spreadsheet, with the century: values have lost digits only",
    bytes: lines([`${dated},1/31/2022,2/28/2022`, "11,0,Alderland,State,CA,345600,345700.5"]),
    arrives: {
      "Alderland|state|Alderland": { "2022-01": "345600.0000", "2022-02": "345700.5000" },
    },
  },
  {
    ...{ provider: "zillow", from: "2025-03" },
    particular: "saved again by a spreadsheet, without the century",
    bytes: lines([`${dated},1/31/22,2/28/22`, "11,0,Alderland,state,,345600,345700.5"]),
    refused: /no month columns/,
  },
];
