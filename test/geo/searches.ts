// Searches as people type them, and the place that must stand first: on the sample's places, and on
// those built from the files that providers and the Census Bureau published.
// Invariant: half of them are misspelt, cut short, or name a state; null where the places of that
// hierarchy do not hold the one that is meant.

export interface TypedSearch {
  readonly typed: string;
  readonly onSample: string | null;
  readonly onGenuine: string | null;
}

const search = (typed: string, onSample: string | null, onGenuine: string | null): TypedSearch => ({
  ...{ typed, onSample, onGenuine },
});

/** One place in both. */
const both = (typed: string, id: string): TypedSearch => search(typed, id, id);

export const searches: readonly TypedSearch[] = [
  both("Austin", "city:austin-tx"),
  both("Austin, TX", "city:austin-tx"),
  both("austin texas", "city:austin-tx"),
  both("Ausitn TX", "city:austin-tx"),
  both("Travis County", "county:48453"),
  both("Travis County, TX", "county:48453"),
  search("48453", "county:48453", null),
  both("78701", "zip:78701"),
  both("78701-1234", "zip:78701"),
  both("Austin TX 78701", "zip:78701"),
  both("New York, NY", "city:new-york-ny"),
  both("New York", "state:ny"),
  both("Los Angelas", "city:los-angeles-ca"),
  both("los angeles ca", "city:los-angeles-ca"),
  both("San Fransisco", "city:san-francisco-ca"),
  both("SanFrancisco", "city:san-francisco-ca"),
  both("San Deigo, CA", "city:san-diego-ca"),
  both("miami dade", "county:12086"),
  both("Buffalo N.Y.", "city:buffalo-ny"),
  both("bufallo", "city:buffalo-ny"),
  both("Tuscon", "city:tucson-az"),
  both("phenix az", "city:phoenix-az"),
  search("Maricopa, AZ", "county:04013", "city:maricopa-az"),
  both("Flagstaff Arizona", "city:flagstaff-az"),
  both("Colorado", "state:co"),
  both("Colorodo Springs", "city:colorado-springs-co"),
  both("ft collins", "city:fort-collins-co"),
  both("Ft. Collins, CO", "city:fort-collins-co"),
  both("DC", "state:dc"),
  search("Washington DC", "state:dc", "city:washington-dc"),
  both("Conneticut", "state:ct"),
  search("Columbus, OH", null, "city:columbus-oh"),
  search("Colombus OH", null, "city:columbus-oh"),
  search("St Louis", null, "city:saint-louis-mo"),
  search("Saint Louis, Missouri", null, "city:saint-louis-mo"),
  search("43215", null, "zip:43215"),
  search("Winston Salem", null, "city:winston-salem-nc"),
  search("O Fallon MO", null, "city:o-fallon-mo"),
  search("coeur dalene id", null, "city:coeur-dalene-id"),
  search("Ft Worth", null, "city:fort-worth-tx"),
  search("Mt Pleasant, SC", null, "city:mount-pleasant-sc"),
  search("Pittsburg, PA", null, "city:pittsburgh-pa"),
  search("Philidelphia", null, "city:philadelphia-pa"),
  search("Cincinatti, Ohio", null, "city:cincinnati-oh"),
  search("albuquerqe", null, "city:albuquerque-nm"),
  search("Lincoln NE", null, "city:lincoln-ne"),
];
