// Reads a plan of downloads as the exchange does and says what it would fetch, without a server:
// `node tools/check-downloads.ts <file>`. Exits 1 naming the field that is wrong, 2 if misused.
import { networksOf } from "#ingest/downloads/address-guard.ts";
import { partsOf } from "#ingest/downloads/file-name.ts";
import {
  DownloadPlanFault,
  type DownloadSource,
  loadDownloadPlan,
} from "#ingest/downloads/plan.ts";
import { readSettings } from "#node/settings.ts";
import { SettingsFault } from "#node/settings-fault.ts";

const nameOf = ({ url, dateFrom, page }: DownloadSource): string => {
  if (partsOf(url).length === 0) return "";
  if (dateFrom !== undefined) return `, its date from ${dateFrom.href}`;
  if (page !== undefined) return `, its year read off ${page.href}`;
  const year = new Date().getUTCFullYear();
  return `, its year tried: ${year}, then ${year - 1}`;
};

const [path, ...more] = process.argv.slice(2);
if (path === undefined || more.length > 0) {
  process.stderr.write("usage: node tools/check-downloads.ts <file>\n");
  process.exit(2);
}
try {
  const { FIRSTPRINT_DOWNLOAD_NETWORKS } = process.env;
  const { downloadNetworks } = readSettings({ FIRSTPRINT_DOWNLOAD_NETWORKS });
  const { sources } = await loadDownloadPlan(path, networksOf(downloadNetworks));
  for (const source of sources) {
    const { provider, index, level, url, everyHours } = source;
    const file = decodeURI(url.href);
    process.stdout.write(
      `${provider} ${index} by ${level}, every ${everyHours} h: ${file}${nameOf(source)}\n`,
    );
  }
  process.stdout.write(`The plan is good: ${sources.length} sources.\n`);
} catch (error) {
  if (!(error instanceof DownloadPlanFault || error instanceof SettingsFault)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
