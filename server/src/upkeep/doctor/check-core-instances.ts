import { coreInstanceLagsAfterSeconds, maxItemAgeDays, reachableSince } from '@muster/contract';
import type { Config } from '../../foundation/settings/config.ts';
import type { Report } from './finding.ts';
import { readTable } from './read-table.ts';

interface StoredSite {
  readonly id: string;
  readonly name: string;
  /** PostgreSQL answers texts, for the numbers may be too large. */
  readonly last_contact_at: number | string;
  readonly oldest_spooled_at: number | string | null;
}

const sql = `select core_instances.id, core_instances.name, last_contact_at, oldest_spooled_at
from core_instances join projects on projects.id = project_id
where core_instances.deleted_at is null and projects.deleted_at is null and last_contact_at is not null
order by core_instances.id`;

/** Whether sites are heard, and keep up. */
export async function checkCoreInstances(config: Config, now: number, report: Report): Promise<void> {
  const sites = await readTable<StoredSite>(config, 'core_instances', sql);
  let isFine = true;
  for (const { id, name, ...times } of sites) {
    const silence = secondsSince(times.last_contact_at, now);
    const lag = times.oldest_spooled_at === null ? 0 : secondsSince(times.oldest_spooled_at, now);
    const site = `The core instance '${name}' (${id})`;
    if (Number(times.last_contact_at) < reachableSince(now)) {
      isFine = false;
      report(
        'warning',
        `${site} was last heard ${lengthOf(silence)} ago. What its agents send waits at the site, where it is kept for up to ${maxItemAgeDays} days.`,
        'On its host: systemctl status muster-core-instance. Its log says why it does not reach this service.',
      );
    } else if (lag > coreInstanceLagsAfterSeconds) {
      isFine = false;
      report(
        'warning',
        `${site} lags: the oldest of what waits there has waited for ${lengthOf(lag)}.`,
        `If it does not catch up, the log on its host says why. To look at it, run: muster core-instance get ${id}`,
      );
    }
  }
  if (isFine && sites.length > 0) report('ok', 'All core instances are heard and keep up.');
}

function secondsSince(time: number | string, now: number): number {
  return Math.floor((now - Number(time)) / 1_000);
}

function lengthOf(seconds: number): string {
  if (seconds >= 2 * 86_400) return `${Math.floor(seconds / 86_400)} days`;
  return seconds >= 2 * 3_600 ? `${Math.floor(seconds / 3_600)} h` : `${Math.floor(seconds / 60)} min`;
}
