import { textIn } from '../parts/read-search.ts';

/** The filters of the log, as they stand in the address. */
export interface AuditSearch {
  /** One action, or all that begin alike: `token.*`. */
  readonly action?: string;
  /** Who did it, by id. */
  readonly actor?: string;
  /** To what it was done, by id. */
  readonly target?: string;
  /** The first day, such as `2026-11-22`. */
  readonly from?: string;
  /** The last day. */
  readonly to?: string;
}

/** Of one action, or of all that begin alike. */
const actionPattern = /^[a-z_]+\.(\*|[a-z_]+)$/;
const dayPattern = /^\d{4}-\d{2}-\d{2}$/;

export function readAuditSearch(search: Readonly<Record<string, unknown>>): AuditSearch {
  return {
    ...actionIn(search),
    ...textIn(search, 'actor', 64),
    ...textIn(search, 'target', 64),
    ...dayIn(search, 'from'),
    ...dayIn(search, 'to'),
  };
}

function actionIn(search: Readonly<Record<string, unknown>>) {
  const found = textIn(search, 'action', 64);
  return found.action !== undefined && actionPattern.test(found.action) ? found : {};
}

function dayIn<Name extends 'from' | 'to'>(search: Readonly<Record<string, unknown>>, name: Name) {
  const found: { readonly [Key in Name]?: string } = textIn(search, name, 10);
  const day = found[name];
  return day !== undefined && dayPattern.test(day) && !Number.isNaN(Date.parse(day)) ? found : {};
}

/** What the API takes: days begin in the time zone of the browser, and the last one is included. */
export function filterOf({ action, actor, target, from, to }: AuditSearch) {
  return {
    action,
    actor_id: actor,
    target_id: target,
    since: from === undefined ? undefined : startOfDay(from, 0),
    until: to === undefined ? undefined : startOfDay(to, 1),
  };
}

function startOfDay(day: string, later: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date + later).toISOString();
}
