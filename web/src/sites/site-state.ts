import type { CoreInstance } from '@muster/client';

/** The status of a site, and `lagging` for one that runs, but does not get rid of what waits there. */
export type SiteState = CoreInstance['status'] | 'lagging';

/** A site passes things on within seconds. */
const laggingSeconds = 60;

export function stateOf({ status, lagSeconds }: Pick<CoreInstance, 'status' | 'lagSeconds'>): SiteState {
  return status === 'running' && lagSeconds >= laggingSeconds ? 'lagging' : status;
}

/** How far behind Muster is with what happens at the site: of one that is not heard, at least since it was. */
export function lagSecondsOf(
  { status, lagSeconds, lastContactAt }: Pick<CoreInstance, 'status' | 'lagSeconds' | 'lastContactAt'>,
  now: number,
): number {
  if (status !== 'unreachable' || lastContactAt === null) return lagSeconds;
  return Math.max(lagSeconds, Math.floor((now - Date.parse(lastContactAt)) / 1_000));
}

/** How much arrived from a site in each whole minute of the last hour. */
export function trendOf({ receivedPerMinute }: Pick<CoreInstance, 'receivedPerMinute'>): readonly number[] {
  return receivedPerMinute.slice(0, -1);
}

/** Minutes by which the present speed is judged. */
const judgedMinutes = 3;
const day = 86_400_000;

/** How fast a site that lags gets rid of what waits there. Undefined: nothing arrives. */
export function deliveryOf(
  { receivedPerMinute, spooledCount }: Pick<CoreInstance, 'receivedPerMinute' | 'spooledCount'>,
  now: number,
): { readonly perMinute: number; readonly doneAt: number | undefined } | undefined {
  const judged = trendOf({ receivedPerMinute }).slice(-judgedMinutes);
  const perMinute = Math.round(judged.reduce((sum, count) => sum + count, 0) / judgedMinutes);
  if (perMinute === 0) return undefined;
  const left = (spooledCount / perMinute) * 60_000;
  return { perMinute, doneAt: spooledCount > 0 && left < day ? now + left : undefined };
}

const worstFirst: readonly SiteState[] = ['unreachable', 'lagging', 'running', 'waiting'];

/** Those that deliver nothing first, of these the one that is further behind, and then the one with more agents. */
export function sortSites<Site extends Pick<CoreInstance, SortedBy>>(
  sites: readonly Site[],
  now: number,
): Site[] {
  return [...sites].sort(
    (one, other) =>
      worstFirst.indexOf(stateOf(one)) - worstFirst.indexOf(stateOf(other)) ||
      lagSecondsOf(other, now) - lagSecondsOf(one, now) ||
      other.agentsCount - one.agentsCount ||
      one.name.localeCompare(other.name, 'en'),
  );
}

type SortedBy = 'name' | 'status' | 'lagSeconds' | 'lastContactAt' | 'agentsCount';
