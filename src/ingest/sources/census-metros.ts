// The metros of the vacancy survey: code, and every name that a table has had for it, newest first.
// Invariant: a name is of one metro; a metro that was renamed keeps its code, and by it its chain.
// Codes and titles are those of the metropolitan areas as the United States government delineated
// them in 2003, 2013, 2018 and 2023; the survey spells some of them in its own way.

interface NamedMetro {
  /** Of the newest delineation that has it. */
  readonly code: string;
  /** At least one. */
  readonly names: readonly string[];
}

/** The 125 largest: the survey has tables of 75, and which 75 changes. */
const table = `
10420|Akron, OH
10580|Albany-Schenectady-Troy, NY
10740|Albuquerque, NM
10900|Allentown-Bethlehem-Easton, PA-NJ
12060|Atlanta-Sandy Springs-Roswell, GA|Atlanta-Sandy Springs-Alpharetta, GA|Atlanta-Sandy Springs-Marietta, GA
12260|Augusta-Richmond County, GA-SC
12420|Austin-Round Rock-San Marcos, TX|Austin-Round Rock, TX|Austin-Round Rock-Georgetown, TX
12540|Bakersfield-Delano, CA|Bakersfield, CA
12580|Baltimore-Columbia-Towson, MD|Baltimore-Towson, MD
12940|Baton Rouge, LA
13820|Birmingham, AL|Birmingham-Hoover, AL
14260|Boise City, ID
14460|Boston-Cambridge-Newton, MA-NH|Boston-Cambridge-Quincy, MA-NH
14860|Bridgeport-Stamford-Danbury, CT|Bridgeport-Stamford-Norwalk, CT
15380|Buffalo-Cheektowaga, NY|Buffalo-Cheektowaga-Niagara Falls, NY|Buffalo-Cheektowaga-Tonawanda, NY
15980|Cape Coral-Fort Myers, FL
16700|Charleston-North Charleston, SC|Charleston-North Charleston-Summerville, SC
16740|Charlotte-Concord-Gastonia, NC-SC|Charlotte-Gastonia-Concord, NC-SC
16860|Chattanooga, TN-GA
16980|Chicago-Naperville-Elgin, IL-IN|Chicago-Naperville-Elgin, IL-IN-WI|Chicago-Naperville-Joliet, IL
17140|Cincinnati, OH-KY-IN|Cincinnati-Middletown, OH-KY-IN
17410|Cleveland, OH|Cleveland-Elyria, OH|Cleveland-Elyria-Mentor, OH
17820|Colorado Springs, CO
17900|Columbia, SC
18140|Columbus, OH
18580|Corpus Christi, TX
19100|Dallas-Fort Worth-Arlington, TX|Dallas-Ft. Worth-Arlington, TX
19430|Dayton-Kettering-Beavercreek, OH|Dayton, OH|Dayton-Kettering, OH
19660|Deltona-Daytona Beach-Ormond Beach, FL
19740|Denver-Aurora-Centennial, CO|Denver-Aurora-Lakewood, CO|Denver-Aurora, CO
19780|Des Moines-West Des Moines, IA
19820|Detroit-Warren-Dearborn, MI|Detroit-Warren-Livonia, MI
20500|Durham-Chapel Hill, NC
21340|El Paso, TX
22220|Fayetteville-Springdale-Rogers, AR
23060|Fort Wayne, IN
23420|Fresno, CA
24340|Grand Rapids-Wyoming-Kentwood, MI|Grand Rapids-Wyoming, MI|Grand Rapids-Kentwood, MI
24660|Greensboro-High Point, NC
24860|Greenville-Anderson-Greer, SC|Greenville-Anderson, SC
25420|Harrisburg-Carlisle, PA
25540|Hartford-West Hartford-East Hartford, CT|Hartford-East Hartford-Middletown, CT
26420|Houston-Pasadena-The Woodlands, TX|Houston-The Woodlands-Sugar Land, TX|Houston-Baytown-Sugar Land, TX|Houston-Sugar Land-Baytown, TX
26620|Huntsville, AL
26900|Indianapolis-Carmel-Greenwood, IN|Indianapolis-Carmel-Anderson, IN|Indianapolis, IN|Indianapolis-Carmel, IN
27140|Jackson, MS
27260|Jacksonville, FL
28140|Kansas City, MO-KS
28660|Killeen-Temple, TX
28880|Kiryas Joel-Poughkeepsie-Newburgh, NY|Poughkeepsie-Newburgh-Middletown, NY
28940|Knoxville, TN
29460|Lakeland-Winter Haven, FL
29540|Lancaster, PA
29620|Lansing-East Lansing, MI
29820|Las Vegas-Henderson-North Las Vegas, NV|Las Vegas-Henderson-Paradise, NV|Las Vegas-Paradise, NV
30460|Lexington-Fayette, KY
30780|Little Rock-North Little Rock-Conway, AR
31080|Los Angeles-Long Beach-Anaheim, CA|Los Angeles-Long Beach-Santa Ana, CA
31140|Louisville/Jefferson County, KY-IN|Louisville, KY-IN
31540|Madison, WI
32580|McAllen-Edinburg-Mission, TX
32820|Memphis, TN-MS-AR|Memphis, TN-AR-MS
33100|Miami-Fort Lauderdale-West Palm Beach, FL|Miami-Fort Lauderdale-Pompano Beach, FL|Miami-Fort Lauderdale-Miami Beach, FL
33340|Milwaukee-Waukesha, WI|Milwaukee-Waukesha-West Allis, WI
33460|Minneapolis-St. Paul-Bloomington, MN-WI
33700|Modesto, CA
34980|Nashville-Davidson--Murfreesboro--Franklin, TN|Nashville-Davidson-Murfreesboro, TN
35300|New Haven, CT|New Haven-Milford, CT
35380|New Orleans-Metairie, LA|New Orleans-Metairie-Kenner, LA
35620|New York-Newark-Jersey City, NY-NJ|New York-Newark-Jersey City, NY-NJ-PA|New York-Northern New Jersey--Long Island, NY
35840|North Port-Bradenton-Sarasota, FL|North Port-Sarasota-Bradenton, FL|Sarasota-Bradenton-Venice, FL
36100|Ocala, FL
36260|Ogden, UT|Ogden-Clearfield, UT
36420|Oklahoma City, OK
36540|Omaha, NE-IA|Omaha-Council Bluffs, NE-IA
36740|Orlando-Kissimmee-Sanford, FL|Orlando, FL
37100|Oxnard-Thousand Oaks-Ventura, CA
37340|Palm Bay-Melbourne-Titusville, FL
37860|Pensacola-Ferry Pass-Brent, FL
37980|Philadelphia-Camden-Wilmington, PA-NJ-DE-MD|Philadelphia-Camden-Wilmington, PA
38060|Phoenix-Mesa-Chandler, AZ|Phoenix-Mesa-Scottsdale, AZ
38300|Pittsburgh, PA
38860|Portland-South Portland, ME
38900|Portland-Vancouver-Hillsboro, OR-WA|Portland-Vancouver-Beaverton, OR-WA
38940|Port St. Lucie, FL
39300|Providence-Warwick, RI-MA|Providence-New Bedford-Fall River RI-MA
39340|Provo-Orem-Lehi, UT|Provo-Orem, UT
39580|Raleigh-Cary, NC|Raleigh, NC
39740|Reading, PA
39900|Reno, NV
40060|Richmond, VA
40140|Riverside-San Bernardino-Ontario, CA
40380|Rochester, NY
40900|Sacramento-Roseville-Folsom, CA|Sacramento-Roseville-Arden-Arcade, CA|Sacramento-Arden-Arcade-Roseville, CA
41180|St. Louis, MO-IL
41420|Salem, OR
41620|Salt Lake City-Murray, UT|Salt Lake City, UT
41700|San Antonio-New Braunfels, TX|San Antonio, TX
41740|San Diego-Chula Vista-Carlsbad, CA|San Diego-Carlsbad, CA|San Diego-Carlsbad-San Marco, CA
41860|San Francisco-Oakland-Fremont, CA|San Francisco-Oakland-Hayward, CA|San Francisco-Oakland-Berkeley, CA
41940|San Jose-Sunnyvale-Santa Clara, CA
42200|Santa Maria-Santa Barbara, CA
42220|Santa Rosa-Petaluma, CA
42540|Scranton--Wilkes-Barre, PA
42660|Seattle-Tacoma-Bellevue, WA
44060|Spokane-Spokane Valley, WA
44140|Springfield, MA
44180|Springfield, MO
44700|Stockton-Lodi, CA|Stockton, CA
45060|Syracuse, NY
45300|Tampa-St. Petersburg-Clearwater, FL
45780|Toledo, OH
46060|Tucson, AZ
46140|Tulsa, OK
46520|Urban Honolulu, HI|Honolulu, HI
46700|Vallejo, CA
47260|Virginia Beach-Chesapeake-Norfolk, VA-NC|Virginia Beach-Norfolk-Newport News, VA-NC|Virginia Beach-Norfolk-Newport News, VA
47300|Visalia, CA
47900|Washington-Arlington-Alexandria, DC-VA-MD-WV
47930|Waterbury-Shelton, CT
48620|Wichita, KS
48900|Wilmington, NC
49180|Winston-Salem, NC
49340|Worcester, MA|Worcester, MA-CT
49620|York-Hanover, PA
`;

/** A name made fit for an id: in lower case, with `-` for everything that is no letter. */
export const idOfName = (name: string): string =>
  name
    .normalize("NFD")
    .toLowerCase()
    .replaceAll(/\p{M}/gu, "")
    .replace(/[^a-z]+/g, "-")
    .replace(/^-|-$/g, "");

const metros: readonly NamedMetro[] = table
  .trim()
  .split("\n")
  .map((line) => {
    const [code = "", ...names] = line.split("|");
    return { code, names };
  });

const byId: ReadonlyMap<string, NamedMetro> = new Map(
  metros.flatMap((metro) => metro.names.map((name) => [idOfName(name), metro] as const)),
);

/** Undefined where no table had the name when this one was made. */
export const metroNamed = (name: string): NamedMetro | undefined => byId.get(idOfName(name));
