// Every form of file that a provider has published, as a made-up twin: a few invented regions in
// the provider's layout, and the values that must arrive of them.
// Invariant: the values to arrive do not come from a reader, and none comes from a provider.
import type { IndexKind } from "#base/index-kind.ts";
import type { WeatherVariable } from "#contract/weather-series.ts";
import { builtInStates } from "#geo/states.ts";
import type { RefusalCode } from "#prints/refusal.ts";
import type { PrintLevel } from "#prints/release.ts";
import { draw, firstYear, textOf } from "#test/ingest/climate-file.ts";
import { hvsGrid, ratesOf } from "#test/ingest/hvs-file.ts";
import { type Grid, workbookOf } from "#test/ingest/workbook-file.ts";

export interface Form {
  /** The year, or the month, since which it is published; of a file saved again, of the file. */
  readonly from: string;
  /** How it differs from its neighbours. */
  readonly particular: string;
  readonly bytes: Uint8Array | string;
}

/** A refusal, with the place in the file that it names. */
export interface Refused {
  readonly code: RefusalCode;
  readonly line: number | null;
  readonly column: string | null;
}

/**
 * A region as `RegionID|name|level|state|FIPS|city|county`, a field that the file does not give
 * left empty, with its prints.
 */
export type Arrived = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** A file of an index, as `openProviderFile` reads it. */
export interface ReleaseForm extends Form {
  readonly provider: "zillow" | "census" | "fred" | "noaa";
  readonly index: IndexKind;
  readonly level: PrintLevel;
  /** All of its regions, or some. */
  readonly arrives?: Arrived;
  /** How many regions there are, where `arrives` has not all of them. */
  readonly regions?: number;
  readonly refused?: Refused;
  /** Of a form that nobody has published yet and that can be read: what two people are told. */
  readonly changes?: readonly string[];
  /** Why a form that should be read is refused today. */
  readonly notYet?: string;
}

export const lines = (all: readonly string[], ending = "\n"): string =>
  all.map((line) => `${line}${ending}`).join("");

// Zillow.

export const dated = "RegionID,SizeRank,RegionName,RegionType,StateName";
const two = "2022-11-30,2022-12-31";

const zillowBefore2020: readonly ReleaseForm[] = [
  {
    ...{ provider: "zillow", index: "zhvi", level: "state", from: "1996" },
    particular: "quoted names, CRLF, months as YYYY-MM, whole dollars, no RegionType",
    bytes: lines(
      ['"RegionID","RegionName","SizeRank","2017-12","2018-01"', '11,"Alderland",1,444400,445500'],
      "\r\n",
    ),
    arrives: { "11|Alderland|state||||": { "2017-12": "444400", "2018-01": "445500" } },
  },
  {
    ...{ provider: "zillow", index: "zhvi", level: "metro", from: "1996" },
    particular: "the nation is told by its RegionID alone; a blank inside a line",
    bytes: lines(
      [
        '"RegionID","RegionName","SizeRank","2017-11","2017-12","2018-01"',
        '102001,"United States",0,345100,345200,345300',
        '394001,"Alderton, TX",1,345400,,345500',
      ],
      "\r\n",
    ),
    arrives: {
      "102001|United States|nation||||": {
        ...{ "2017-11": "345100", "2017-12": "345200", "2018-01": "345300" },
      },
      "394001|Alderton, TX|metro||||": { "2017-11": "345400", "2018-01": "345500" },
    },
  },
  {
    ...{ provider: "zillow", index: "zhvi", level: "county", from: "1996" },
    particular: "both parts of a FIPS code quoted, with their zeros",
    bytes: lines(
      [
        '"RegionID","RegionName","State","Metro","StateCodeFIPS","MunicipalCodeFIPS","SizeRank",' +
          '"2018-01"',
        '21,"Alder","CA","Alderton-Birch Falls","06","037",1,111100',
      ],
      "\r\n",
    ),
    arrives: { "21|Alder|county|CA|06037||": { "2018-01": "111100" } },
  },
  {
    ...{ provider: "zillow", index: "zhvi", level: "city", from: "1996" },
    particular: "SizeRank last before the months",
    bytes: lines(
      [
        '"RegionID","RegionName","State","Metro","CountyName","SizeRank","2018-01"',
        '31,"Birch","NY","Alderton-Birch Falls","Cedar",1,222200',
      ],
      "\r\n",
    ),
    arrives: { "31|Birch|city|NY|||Cedar": { "2018-01": "222200" } },
  },
  {
    ...{ provider: "zillow", index: "zhvi", level: "zip", from: "1996" },
    particular: "zips quoted, with their zeros",
    bytes: lines(
      [
        '"RegionID","RegionName","City","State","Metro","CountyName","SizeRank","2018-01"',
        '41,"08701","Birch","NJ","Alderton-Birch Falls","Cedar",1,333300',
      ],
      "\r\n",
    ),
    arrives: { "41|08701|zip|NJ||Birch|Cedar": { "2018-01": "333300" } },
  },
  {
    ...{ provider: "zillow", index: "zhvi", level: "neighborhood", from: "1996" },
    particular: "no quotes, and lines of nothing but commas",
    bytes: lines(
      [
        "RegionID,RegionName,City,State,Metro,CountyName,SizeRank,2017-12,2018-01",
        ",,,,,,,,",
        "77,Willow,Birch,CA,Birch,Cedar,22,,345600",
        ",,,,,,,,",
      ],
      "\r\n",
    ),
    arrives: { "77|Willow|neighborhood|CA||Birch|Cedar": { "2018-01": "345600" } },
  },
  {
    ...{ provider: "zillow", index: "zori", level: "metro", from: "2010" },
    particular: "rents in this layout are of another index, or of another cut",
    bytes: lines(["RegionID,RegionName,SizeRank,2019-01", '394001,"Alderton, TX",1,2400']),
    refused: { code: "OTHER_CUT", line: 1, column: null },
  },
];

const zillowSince2020: readonly ReleaseForm[] = [
  {
    ...{ provider: "zillow", index: "zhvi", level: "state", from: "2020" },
    particular: "month ends, RegionType with a capital, the state's letters, one decimal",
    bytes: lines([`${dated},2021-08-31,2021-09-30`, "11,0,Alderland,State,CA,345600.0,346700.5"]),
    arrives: { "11|Alderland|state|CA|||": { "2021-08": "345600", "2021-09": "346700.5" } },
  },
  {
    ...{ provider: "zillow", index: "zhvi", level: "state", from: "2022-07" },
    particular: "RegionType in small letters, StateName still there",
    bytes: lines([`${dated},2022-05-31,2022-06-30`, "11,0,Alderland,state,CA,356700.0,357800.0"]),
    arrives: { "11|Alderland|state|CA|||": { "2022-05": "356700", "2022-06": "357800" } },
  },
  {
    ...{ provider: "zillow", index: "zhvi", level: "state", from: "2022-08" },
    particular: "StateName is empty",
    bytes: lines([`${dated},2022-06-30,2022-07-31`, "11,0,Alderland,state,,356700.0,"]),
    arrives: { "11|Alderland|state||||": { "2022-06": "356700" } },
  },
  {
    ...{ provider: "zillow", index: "zhvi", level: "state", from: "2023-01" },
    particular: "all digits of a double, a blank inside a line, SizeRank that repeats",
    bytes: lines([
      `${dated},2024-11-30,2024-12-31,2025-01-31`,
      "11,0,Alderland,state,,412345.6789012345,,413456.78901234567",
      "12,0,Birchland,state,,,287654.32109876543,288765.43210987654",
    ]),
    arrives: {
      "11|Alderland|state||||": {
        ...{ "2024-11": "412345.6789012345", "2025-01": "413456.78901234567" },
      },
      "12|Birchland|state||||": {
        "2024-12": "287654.32109876543",
        "2025-01": "288765.43210987654",
      },
    },
  },
  {
    ...{ provider: "zillow", index: "zhvi", level: "metro", from: "2020" },
    particular: "the nation is a row of type Country, metros are Msa",
    bytes: lines([
      `${dated},${two}`,
      "102001,0,United States,Country,,1000.0,1001.0",
      '394001,1,"Alderton, TX",Msa,TX,2000.5,2001.5',
    ]),
    arrives: {
      "102001|United States|nation||||": { "2022-11": "1000", "2022-12": "1001" },
      "394001|Alderton, TX|metro|TX|||": { "2022-11": "2000.5", "2022-12": "2001.5" },
    },
  },
  {
    ...{ provider: "zillow", index: "zhvi", level: "county", from: "2020" },
    particular: "State beside StateName, FIPS without quotes",
    bytes: lines([
      `${dated},State,Metro,StateCodeFIPS,MunicipalCodeFIPS,${two}`,
      '21,0,Alder County,County,CA,CA,"Alderton-Birch Falls, CA",06,037,1.0,2.0',
    ]),
    arrives: { "21|Alder County|county|CA|06037||": { "2022-11": "1", "2022-12": "2" } },
  },
  {
    ...{ provider: "zillow", index: "zhvi", level: "zip", from: "2020" },
    particular: "City and Metro may be empty",
    bytes: lines([
      `${dated},State,City,Metro,CountyName,${two}`,
      "41,7,08701,Zip,NJ,NJ,,,Cedar County,1.0,2.0",
    ]),
    arrives: { "41|08701|zip|NJ|||Cedar County": { "2022-11": "1", "2022-12": "2" } },
  },
  {
    ...{ provider: "zillow", index: "zhvi", level: "neighborhood", from: "2020" },
    particular: "a name garbled long ago, in valid UTF-8; one name twice in a county; no value",
    bytes: lines([
      `${dated},State,City,Metro,CountyName,${two}`,
      "5,7,Ca±on,Neighborhood,CA,CA,Birch,,Cedar County,1.0,2.0",
      "6,7,Ca±on,Neighborhood,CA,CA,Birch,,Cedar County,,",
    ]),
    arrives: {
      "5|Ca±on|neighborhood|CA||Birch|Cedar County": { "2022-11": "1", "2022-12": "2" },
      "6|Ca±on|neighborhood|CA||Birch|Cedar County": {},
    },
  },
  {
    ...{ provider: "zillow", index: "zori", level: "metro", from: "2021" },
    particular: "rents: blanks before, inside and behind the values",
    bytes: lines([
      `${dated},2024-07-31,2024-08-31,2024-09-30,2024-10-31,2024-11-30`,
      "102001,0,United States,country,,1011.1213141516171,1012.1314151617181," +
        "1013.1415161718192,1014.1516171819202,1015.1617181920212",
      '394001,1,"Alderton, TX",msa,TX,,2021.2223242526272,,2023.2425262728292,',
    ]),
    arrives: {
      "102001|United States|nation||||": {
        ...{ "2024-07": "1011.1213141516171", "2024-08": "1012.1314151617181" },
        ...{ "2024-09": "1013.1415161718192", "2024-10": "1014.1516171819202" },
        ...{ "2024-11": "1015.1617181920212" },
      },
      "394001|Alderton, TX|metro|TX|||": {
        ...{ "2024-08": "2021.2223242526272", "2024-10": "2023.2425262728292" },
      },
    },
  },
  {
    ...{ provider: "zillow", index: "zori", level: "county", from: "2023" },
    particular: "RegionType in small letters, FIPS with its zeros",
    bytes: lines([
      `${dated},State,Metro,StateCodeFIPS,MunicipalCodeFIPS,2023-10-31`,
      '21,0,Alder County,county,CA,CA,"Alderton, CA",06,037,1718.1920212223242',
    ]),
    arrives: { "21|Alder County|county|CA|06037||": { "2023-10": "1718.1920212223242" } },
  },
  {
    ...{ provider: "zillow", index: "zori", level: "city", from: "2023" },
    particular: "the county by its name",
    bytes: lines([
      `${dated},State,Metro,CountyName,2024-10-31`,
      '31,0,Birch,city,NY,NY,"Alderton, NY",Cedar County,3031.3233343536373',
    ]),
    arrives: { "31|Birch|city|NY|||Cedar County": { "2024-10": "3031.3233343536373" } },
  },
  {
    ...{ provider: "zillow", index: "zori", level: "zip", from: "2023" },
    particular: "as home values by zip",
    bytes: lines([
      `${dated},State,City,Metro,CountyName,2023-10-31`,
      '42,1,08701,zip,NJ,NJ,Birch,"Alderton, NJ",Cedar County,1415.1617181920212',
    ]),
    arrives: { "42|08701|zip|NJ||Birch|Cedar County": { "2023-10": "1415.1617181920212" } },
  },
];

/** So many month ends of the method that writes every digit. */
const afterMethod = (months: number): readonly string[] =>
  Array.from({ length: months }, (_, at) =>
    new Date(Date.UTC(2023, at + 1, 0)).toISOString().slice(0, 10),
  );

const newest = { "2022-11": "345600.5", "2022-12": "345700.5" };

/** Of one line: its months, where they are not the two newest of before 2023. */
type FormToCome = readonly [
  particular: string,
  header: string,
  line: string,
  changes: readonly string[],
  months?: Readonly<Record<string, string>>,
];

/** One thing or the other that Zillow has not done yet, and may. */
const zillowMayCome: readonly ReleaseForm[] = (
  [
    ...(
      [
        ["in whole dollars", "345600", "Values are written in whole dollars."],
        ["to the cent", "345600.12", "Values are written with at most 2 decimals."],
      ] as const
    ).map(
      ([particular, value, change]): FormToCome => [
        `values ${particular}`,
        `${dated},${afterMethod(24).join(",")}`,
        `11,0,Alderland,state,,${afterMethod(24)
          .map(() => value)
          .join(",")}`,
        [change],
        Object.fromEntries(afterMethod(24).map((day) => [day.slice(0, 7), value])),
      ],
    ),
    [
      "a column more",
      `RegionID,SizeRank,RegionName,RegionType,Population,StateName,${two}`,
      "11,0,Alderland,state,1200,,345600.5,345700.5",
      ['Column "Population" is new.'],
    ],
    [
      "no rank",
      `RegionID,RegionName,RegionType,StateName,${two}`,
      "11,Alderland,state,,345600.5,345700.5",
      ['Column "SizeRank" is missing.'],
    ],
    [
      "another order",
      `RegionName,RegionID,SizeRank,RegionType,StateName,${two}`,
      "Alderland,11,0,state,,345600.5,345700.5",
      ["The columns stand in another order."],
    ],
    [
      "names in small letters, with a stroke between their words",
      `region_id,size_rank,region_name,region_type,state_name,${two}`,
      "11,0,Alderland,state,,345600.5,345700.5",
      [
        'A column is written "region_id".',
        'A column is written "size_rank".',
        'A column is written "region_name".',
        'A column is written "region_type".',
        'A column is written "state_name".',
      ],
    ],
    [
      "months without their day",
      `${dated},2022-11,2022-12`,
      "11,0,Alderland,state,,345600.5,345700.5",
      ["Months are written YYYY-MM."],
    ],
    [
      "months by their first day",
      `${dated},2022-11-01,2022-12-01`,
      "11,0,Alderland,state,,345600.5,345700.5",
      ["Months are written YYYY-MM-DD, each its first day."],
    ],
  ] as readonly FormToCome[]
).map(
  ([particular, header, line, changes, months]): ReleaseForm => ({
    ...{ provider: "zillow", index: "zhvi", level: "state", from: "nobody yet" },
    particular,
    bytes: lines([header, line]),
    arrives: { "11|Alderland|state||||": months ?? newest },
    changes,
  }),
);

/** Files of the provider's as people have them: opened, and saved again. */
const zillowSavedAgain: readonly ReleaseForm[] = [
  ...["1/31/00", "1/31/2000", "31.01.2000", "Jan-00"].map(
    (column): ReleaseForm => ({
      ...{ provider: "zillow", index: "zhvi", level: "county", from: "2022-01" },
      particular: `months as a spreadsheet writes them (${column}), FIPS without zeros`,
      bytes: lines([
        `${dated},State,Metro,StateCodeFIPS,MunicipalCodeFIPS,${column}`,
        "21,0,Alder County,County,CA,CA,Alderton-Birch Falls,6,37,345600",
      ]),
      refused: { code: "SPREADSHEET_DATES", line: 1, column },
    }),
  ),
  {
    ...{ provider: "zillow", index: "zhvi", level: "metro", from: "2024-03" },
    particular: "rows and columns changed for each other",
    bytes: lines(["StateName,,TX", "RegionID,102001,394001", "2024-03-31,1.5,2.5"]),
    refused: { code: "TRANSPOSED", line: 1, column: null },
  },
  {
    ...{ provider: "zillow", index: "zhvi", level: "state", from: "2023-01" },
    particular: "values with the ten digits that a spreadsheet shows",
    bytes: lines([
      `${dated},2025-01-31`,
      ...Array.from(
        { length: 40 },
        (_, at) => `${at + 1},${at},Place ${"ab"[at % 2]},state,,1234.567${at}`,
      ),
    ]),
    refused: { code: "ROUNDED_CELLS", line: null, column: null },
  },
  {
    ...{ provider: "zillow", index: "zhvi", level: "state", from: "2020" },
    particular: 'a byte order mark, as "CSV UTF-8" of a spreadsheet has',
    bytes: lines([`\uFEFF${dated},2021-09-30`, "11,0,Alderland,State,CA,345600.0"]),
    arrives: { "11|Alderland|state|CA|||": { "2021-09": "345600" } },
  },
  {
    ...{ provider: "zillow", index: "zhvi", level: "neighborhood", from: "2020" },
    particular: "saved in windows-1252",
    bytes: Buffer.from(
      lines([
        `${dated},State,City,Metro,CountyName,${two}`,
        "5,7,Cañon,Neighborhood,CA,CA,Birch,,Cedar County,1.0,2.0",
      ]),
      "latin1",
    ),
    refused: { code: "NOT_UTF8", line: 2, column: "RegionName" },
  },
  {
    ...{ provider: "zillow", index: "zhvi", level: "state", from: "2020" },
    particular: "packed into a zip archive",
    bytes: Buffer.from("504b0304140000000800", "hex"),
    refused: { code: "NOT_UTF8", line: 1, column: null },
  },
];

// The Census Bureau's Housing Vacancy Survey.

interface Years {
  readonly first: number;
  readonly last: number;
}

/** The rates of the survey's made-up table, of regions in its order. */
function rates(level: "state" | "metro", regions: readonly string[], years: Years): Arrived {
  const table = ratesOf(level, 1, 2, years);
  const monthOf = (quarter: number): string =>
    `${years.first + Math.floor(quarter / 4)}-${["03", "06", "09", "12"][quarter % 4]}`;
  return Object.fromEntries(
    regions.map((region, at): [string, Record<string, string>] => [
      region,
      Object.fromEntries(table.map((of, quarter) => [monthOf(quarter), String(of[at])])),
    ]),
  );
}

const [early, late]: readonly [Years, Years] = [
  { first: 2012, last: 2014 },
  { first: 2015, last: 2016 },
];
const states = builtInStates.map(
  ({ fips, name, stateCode }) => `${fips}|${name}|state|${stateCode}|||`,
);
const metros = [
  "alderton-birch-falls-tx|Alderton-Birch Falls, TX|metro|TX|||",
  "cedar-hollow-oh-ky|Cedar Hollow, OH-KY|metro|OH|||",
  "dogwood-elm-county-ky-in|Dogwood/Elm County, KY-IN|metro|KY|||",
  "ft-fir-la|Ft. Fir, LA|metro|LA|||",
  "gum-springs-ca|Gum Springs, CA|metro|CA|||",
  "st-hazel-ivy-mo-il|St. Hazel-Ivy, MO-IL|metro|MO|||",
];

const survey = (
  level: "state" | "metro",
  years: Years,
  change: (grid: Grid) => void = () => undefined,
): Buffer => {
  const grid = hvsGrid(level, 1, 2, years);
  change(grid);
  return workbookOf(grid);
};

/** Rates below 0.05 in the first line, and in the second a margin of error below 0.05. */
const tiny = (grid: Grid): void => {
  grid[8]?.splice(2, 4, "(z)", "(z)", "(z)", 1.3);
  grid[9]?.splice(3, 1, "(z)");
};

/** Every text of the grid, changed. */
const reworded = (grid: Grid, change: (text: string) => string): void => {
  for (const row of grid) {
    for (const [at, cell] of row.entries()) if (typeof cell === "string") row[at] = change(cell);
  }
};

/** As the table of metros is since 2026: one year, stars, and its own names. */
const oneYear = (grid: Grid): void => {
  reworded(grid, (text) =>
    text.replace("2026 to 2026", "2026").replace(/^Margin of Error[0-9]$/, "Margin of Error*"),
  );
  grid[8]?.splice(1, 1, "Alderton-Birch Falls-Cedar, TX1");
  grid[9]?.splice(1, 1, "Denver-Aurora-Centennial, CO27");
  grid.push(["1 Formerly titled Alderton-Birch Falls, TX."]);
  grid.push([27, "Formerly titled Denver-Aurora-Lakewood, CO."]);
};
const metrosOfOneYear = [
  "alderton-birch-falls-cedar-tx|Alderton-Birch Falls-Cedar, TX|metro|TX|||",
  "19740|Denver-Aurora-Centennial, CO|metro|CO|||",
];

/** As the tables of metros until 2014: numbers of footnotes behind a stroke, a comma left out. */
const oldMarks = (grid: Grid): void => {
  reworded(grid, (text) => text.replace(/^Table 4\./, "Table 4a."));
  for (const row of grid) {
    if (row[1] === "Cedar Hollow, OH-KY3.........") row[1] = "Cedar Hollow, OH-KY/3";
    if (String(row[1]).startsWith("St. Hazel")) row[1] = "St. Hazel-Ivy MO-IL";
  }
};
const metrosOf2005 = metros.map((place) => place.replace("St. Hazel-Ivy, MO", "St. Hazel-Ivy MO"));

/** One thing or the other that the Census Bureau has not done yet, and may. */
const mayCome: readonly (readonly [string, (text: string) => string, string])[] = [
  [
    "a title in other words",
    (text) =>
      text.replace(
        /^(Table) 1\. Rental Vacancy Rates by State/,
        "$1 1. Vacancy of Rentals by State",
      ),
    'The title is "Table 1. Vacancy of Rentals by State: … to …".',
  ],
  [
    "years that run to the present",
    (text) => text.replace(": 2015 to 2016", ", 2015 to Present"),
    'The title is "Table 1. Rental Vacancy Rates by State, … to Present".',
  ],
  [
    "quarters by their number",
    (text) => text.replace(/^Second +Quarter\s+([0-9]+)/, "Q2 $1"),
    'A quarter\'s heading is "Q2".',
  ],
  [
    "margins by their letters",
    (text) => text.replace("Margin of Error1", "MOE (90 percent)"),
    'A margin\'s heading is "MOE (90 percent)".',
  ],
  [
    "names by another word",
    (text) => text.replace(/^State$/, "States"),
    'The names\' heading is "States".',
  ],
  [
    "notes by another word",
    (text) => text.replace("Footnotes:", "Notes"),
    'The notes\' heading is "Notes".',
  ],
];

const withoutFirst = (all: Arrived): Arrived =>
  Object.fromEntries(
    Object.entries(all).map(([place, values]) => [
      place,
      Object.fromEntries(Object.entries(values).slice(1)),
    ]),
  );

const census: readonly ReleaseForm[] = [
  {
    ...{ provider: "census", index: "vacancy", level: "state", from: "2005" },
    particular: "workbook; headings over four rows, a year as a number or as a text",
    bytes: survey("state", early),
    arrives: rates("state", states, early),
  },
  {
    ...{ provider: "census", index: "vacancy", level: "state", from: "2015" },
    particular: "headings in one row, with blanks and a line break inside; names padded with dots",
    bytes: survey("state", late),
    arrives: rates("state", states, late),
  },
  {
    ...{ provider: "census", index: "vacancy", level: "metro", from: "2015" },
    particular: "a column of notes before the names, footnote digits behind them",
    bytes: survey("metro", late),
    arrives: rates("metro", metros, late),
  },
  {
    ...{ provider: "census", index: "vacancy", level: "metro", from: "2015" },
    particular: "(z) for a rate below 0.05, with (z) or a number for its margin of error",
    bytes: survey("metro", { first: 2016, last: 2016 }, tiny),
    arrives: {
      ...rates("metro", metros, { first: 2016, last: 2016 }),
      [metros[0] ?? ""]: { "2016-03": "0", "2016-06": "0" },
    },
  },
  {
    ...{ provider: "census", index: "vacancy", level: "metro", from: "2005" },
    particular: "Table 4a, closed in 2014: footnotes behind a stroke, a comma left out of a name",
    bytes: survey("metro", early, oldMarks),
    arrives: rates("metro", metrosOf2005, early),
  },
  {
    ...{ provider: "census", index: "vacancy", level: "metro", from: "2026" },
    particular: "Table 4b, the history beside the table of one year",
    bytes: survey("metro", { first: 2024, last: 2025 }, (grid) =>
      reworded(grid, (text) => text.replace(/^Table 4\./, "Table 4b.")),
    ),
    arrives: rates("metro", metros, { first: 2024, last: 2025 }),
  },
  {
    ...{ provider: "census", index: "vacancy", level: "metro", from: "2026" },
    particular: "one year, named alone in the title; history in a file of its own; metros renamed",
    bytes: survey("metro", { first: 2026, last: 2026 }, oneYear),
    regions: 6,
    arrives: rates("metro", metrosOfOneYear, { first: 2026, last: 2026 }),
  },
  {
    ...{ provider: "census", index: "vacancy", level: "state", from: "2026" },
    particular: "the state table goes on as it was",
    bytes: survey("state", { first: 2025, last: 2026 }),
    arrives: rates("state", states, { first: 2025, last: 2026 }),
  },
  ...mayCome.map(
    ([particular, change, told]): ReleaseForm => ({
      ...{ provider: "census", index: "vacancy", level: "state", from: "nobody yet" },
      particular,
      bytes: survey("state", late, (grid) => reworded(grid, change)),
      arrives: rates("state", states, late),
      changes: [told],
    }),
  ),
  {
    ...{ provider: "census", index: "vacancy", level: "metro", from: "nobody yet" },
    particular: "no column of notes before the names, and one more behind the quarters",
    bytes: survey("metro", { first: 2016, last: 2016 }, (grid) => {
      for (const row of grid.slice(2, -3)) {
        if (row.length === 0) continue;
        row.shift();
        while (row.length < 9) row.push(null);
        row.push(row[0] === "Metropolitan Statistical Area" ? "Year 2016" : 5.5);
      }
    }),
    arrives: rates("metro", metros, { first: 2016, last: 2016 }),
    changes: ["The names stand in column A.", 'Column J has the heading "Year".'],
  },
  {
    ...{ provider: "census", index: "vacancy", level: "metro", from: "nobody yet" },
    particular: "a rate that was not to be had, in words",
    bytes: survey("metro", { first: 2016, last: 2016 }, (grid) => {
      grid[8]?.splice(2, 2, "(NA)", "(NA)");
    }),
    arrives: {
      ...rates("metro", metros, { first: 2016, last: 2016 }),
      ...withoutFirst(rates("metro", metros.slice(0, 1), { first: 2016, last: 2016 })),
    },
    changes: ["A rate that was not to be had is marked in words."],
  },
  {
    ...{ provider: "census", index: "vacancy", level: "metro", from: "nobody yet" },
    particular: "a rate with a mark behind it",
    bytes: survey("metro", { first: 2016, last: 2016 }, (grid) => {
      grid[8]?.splice(2, 1, `${grid[8]?.[2]}r`);
      grid[9]?.splice(2, 1, `${grid[9]?.[2]} (3)`);
    }),
    arrives: rates("metro", metros, { first: 2016, last: 2016 }),
    changes: ['A rate is marked "r".', 'A rate is marked "(3)".'],
  },
  {
    ...{ provider: "census", index: "vacancy", level: "state", from: "1986" },
    particular: "workbooks of before 2007, as .xls",
    bytes: Buffer.concat([Buffer.from("d0cf11e0a1b11ae1", "hex"), Buffer.alloc(504)]),
    refused: { code: "BAD_WORKBOOK", line: null, column: null },
  },
];

// FRED.

const quarters: Arrived = {
  "RRVRUSQ156N|United States|nation||||": { "2021-12": "7.1", "2022-06": "6", "2022-09": "6.3" },
};

const fred: readonly ReleaseForm[] = [
  ...(
    [
      ["1997", "DATE,VALUE", "."],
      ["2012", "DATE,RRVRUSQ156N", "."],
      ["2024", "observation_date,RRVRUSQ156N", ""],
    ] as const
  ).map(
    ([from, header, none]): ReleaseForm => ({
      ...{ provider: "fred", index: "vacancy", level: "nation", from },
      particular: `${header}; ${none === "" ? "nothing" : "a point"} where there is no value`,
      bytes: lines([
        header,
        "2021-10-01,7.1",
        `2022-01-01,${none}`,
        "2022-04-01,6",
        "2022-07-01,6.3",
        `2022-10-01,${none}`,
      ]),
      arrives: quarters,
    }),
  ),
  {
    ...{ provider: "fred", index: "vacancy", level: "nation", from: "nobody yet" },
    particular: "another name of the dates",
    bytes: lines([
      "period_start_date,RRVRUSQ156N",
      "2021-10-01,7.1",
      "2022-01-01,",
      "2022-04-01,6",
    ]),
    arrives: { "RRVRUSQ156N|United States|nation||||": { "2021-12": "7.1", "2022-06": "6" } },
    changes: ['The dates\' column is "period_start_date".'],
  },
];

// NOAA's nClimDiv.

/** In hundredths, or in whole degree days: what a place's number says, alike in each month. */
const alike = (place: string, year: number): number => 100 * (40 + year) + Number(place);

/** Two years; `isWhole`: the last one ends in December, and has no missing months. */
const climate = (variable: WeatherVariable, isWhole = false): string =>
  textOf(
    variable,
    new Map(
      [...draw(variable, 1, firstYear + 1)].map(([place, years]) => [
        place,
        years.map((months, year) =>
          months.map((value) => (value === null && !isWhole ? null : alike(place, year))),
        ),
      ]),
    ),
  );

const [one, next] = [firstYear, firstYear + 1];

/**
 * January of Minnesota eight characters wide where its column has seven, and one of Iowa's six:
 * Iowa is that cold in another year, and has no such value otherwise.
 */
const setOff = (text: string): string =>
  text
    .replace(`021002${one}  40.21`, `021002${one}  -10.70`)
    .replace(`013002${one}  40.13`, `013002${one}  5.20`)
    .replace(`013002${next}  41.13`, `013002${next}  18.00`);

const noaa: readonly ReleaseForm[] = [
  {
    ...{ provider: "noaa", index: "weather", level: "state", from: "2014" },
    particular: "temperatures, 97 characters a line, NOAA's own numbers of states; Alaska is 050",
    bytes: climate("temperature"),
    regions: 50,
    arrives: {
      "001|Alabama|state|AL|||": { [`${one}-12`]: "40.01" },
      "041|Texas|state|TX|||": { [`${one}-12`]: "40.41" },
      "050|Alaska|state|AK|||": { [`${one}-12`]: "40.5" },
      "110|Contiguous United States|nation||||": { [`${one}-12`]: "41.1" },
    },
  },
  {
    ...{ provider: "noaa", index: "weather", level: "state", from: "2023-01" },
    particular:
      "values set off by two blanks, whatever their length: below -10, and in some states below 10",
    bytes: setOff(climate("temperature", true)),
    // (11 × 40.21 - 10.70) / 12, (11 × 40.13 + 5.20) / 12, (11 × 41.13 + 18) / 12
    regions: 50,
    arrives: {
      "021|Minnesota|state|MN|||": { [`${one}-12`]: "35.9675", [`${next}-12`]: "41.21" },
      "013|Iowa|state|IA|||": { [`${one}-12`]: "37.219166666666667", [`${next}-12`]: "39.2025" },
    },
  },
  {
    ...{ provider: "noaa", index: "weather", level: "state", from: "2014" },
    particular: "precipitation in inches; -9.99 is missing, at the end of the newest year",
    bytes: climate("precipitation"),
    regions: 50,
    arrives: {
      "041|Texas|state|TX|||": { [`${one}-08`]: "121.23", [`${next}-08`]: "124.23" },
    },
  },
  {
    ...{ provider: "noaa", index: "weather", level: "state", from: "2014" },
    particular: "heating degree days, whole with a point; -9999. is missing",
    bytes: climate("heatingDegreeDays"),
    regions: 50,
    arrives: {
      "041|Texas|state|TX|||": { [`${one}-03`]: "12123", [`${next}-03`]: "12423" },
    },
  },
  {
    ...{ provider: "noaa", index: "weather", level: "state", from: "2014" },
    particular: "cooling degree days",
    bytes: climate("coolingDegreeDays"),
    regions: 50,
    arrives: {
      "041|Texas|state|TX|||": { [`${one}-07`]: "4041", [`${next}-07`]: "4141" },
    },
  },
  {
    ...{ provider: "noaa", index: "weather", level: "state", from: "2014" },
    particular: "drought: no index is made of it",
    bytes: climate("precipitation").replaceAll(/^(?<place>\d{4})01/gm, "$<place>05"),
    refused: { code: "WRONG_SERIES", line: 1, column: "element" },
  },
];

export const releaseForms: readonly ReleaseForm[] = [
  ...zillowBefore2020,
  ...zillowSince2020,
  ...zillowSavedAgain,
  ...zillowMayCome,
  ...census,
  ...fred,
  ...noaa,
];
