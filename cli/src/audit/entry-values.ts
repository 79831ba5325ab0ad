import type { AuditEntry } from '@muster/client';
import { countOf, numberOf } from '../output/count-of.ts';

export type Values = AuditEntry['after'];

export function quote(text: string): string {
  return `'${text}'`;
}

/** The name of what an entry is about, in quotes, or else its id. */
export function target({ target: { name, id } }: AuditEntry): string {
  return name === null ? (id ?? 'of unknown name') : quote(name);
}

/** A text of an entry, if it has one of this name. */
export function textIn(values: Values, name: string): string | undefined {
  const value = values?.[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A number of an entry; 0 if it has none of this name. */
export function numberIn(values: Values, name: string): number {
  const value = values?.[name];
  return typeof value === 'number' ? value : 0;
}

/** The texts of a list of an entry; none if it has no list of this name. */
export function textsIn(values: Values, name: string): readonly string[] {
  const value = values?.[name];
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

/** `a`, `a and b`, `a, b and c` */
export function listOf(texts: readonly string[]): string {
  const [first = 'nothing', ...rest] = texts;
  const last = rest.pop();
  return last === undefined ? first : `${[first, ...rest].join(', ')} and ${last}`;
}

export function reasonIn(values: Values): string {
  const reason = textIn(values, 'reason');
  return reason === undefined ? '' : ` (reason: ${quote(reason)})`;
}

/** `2026-11-30 14:21 UTC`: an entry is read long after it was made, when `in 3 d` would say nothing. */
export function pointInTime(timestamp: string): string {
  const [, day, minute] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d\.\d{3}Z$/.exec(timestamp) ?? [];
  return day === undefined ? timestamp : `${day} ${minute} UTC`;
}

export function expiryIn(values: Values): string {
  const at = textIn(values, 'expiresAt');
  return at === undefined ? '' : `, valid until ${pointInTime(at)}`;
}

/** Longer lists are counted; JSON has all of them. */
const maxNamed = 4;

export function permissionsIn(values: Values): string {
  return describePermissions(textsIn(values, 'permissions'));
}

function describePermissions(granted: readonly string[]): string {
  if (granted.includes('*') || granted.includes('*:*')) return 'all permissions';
  if (granted.length === 0) return 'no permission';
  return granted.length > maxNamed ? countOf(granted.length, 'permission') : listOf(granted);
}

/** `as viewer`, or `with read:agent and read:token` */
export function roleIn(values: Values): string {
  const role = textIn(values, 'role');
  return role === undefined || role === 'custom' ? `with ${permissionsIn(values)}` : `as ${role}`;
}

/** `1 day`, `90 seconds` */
function lengthOf(seconds: number): string {
  for (const [length, unit] of units) {
    if (seconds > 0 && seconds % length === 0) return countOf(seconds / length, unit);
  }
  return countOf(seconds, 'second');
}

const units = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
] as const;

/** What becomes of the value before a rotation. */
export function handOverIn(values: Values): string {
  const seconds = numberIn(values, 'graceSeconds');
  const isEndedByUse = values?.retireOnUse === true;
  if (seconds === 0)
    return isEndedByUse
      ? '; the earlier value ends when the new one is first used'
      : '; the earlier value ended at once';
  const end = `the earlier value ends after ${lengthOf(seconds)}`;
  return isEndedByUse ? `; ${end}, or when the new one is first used` : `; ${end}`;
}

/** What an update has changed: `: the name from 'a' to 'b', the expiry from none to 2027-01-01 00:00 UTC`. */
export function changesIn({ before, after }: AuditEntry): string {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  const changes = [...names].flatMap((name) => {
    const isTold = !untold.has(name) && JSON.stringify(before?.[name]) !== JSON.stringify(after?.[name]);
    return isTold ? [describeChange(name, before, after)] : [];
  });
  return changes.length === 0 ? '' : `: ${changes.join(', ')}`;
}

/** They say how it was done, or the same as another one. */
const untold: ReadonlySet<string> = new Set(['reason', 'groupsCount', 'assigneeID', 'graceSeconds']);

function describeChange(field: string, before: Values, after: Values): string {
  const { noun = field, ofIDs } = fields[field] ?? {};
  const told = (values: Values) =>
    ofIDs === undefined ? shown(field, values?.[field]) : ofIDs(values?.[field]);
  const [old, now] = [told(before), told(after)];
  if (old === now) return `the ${noun}`;
  return before === null || !(field in before)
    ? `the ${noun} to ${now}`
    : `the ${noun} from ${old} to ${now}`;
}

interface Field {
  readonly noun: string;
  /** How ids are told, of which nobody knows what they are. */
  readonly ofIDs?: (value: unknown) => string;
}

const fields: Readonly<Record<string, Field>> = {
  expiresAt: { noun: 'expiry' },
  allowedNetworks: { noun: 'networks' },
  reportsPerSecond: { noun: 'limit of reports per second' },
  parentID: { noun: 'token that it ends with', ofIDs: (value) => (value === null ? 'none' : 'another') },
  claimValues: { noun: 'groups' },
  isSecretChanged: { noun: 'secret', ofIDs: () => 'a new one' },
  quietHours: { noun: 'quiet hours' },
  channelIDs: {
    noun: 'channels',
    ofIDs: (value) => (Array.isArray(value) ? countOf(value.length, 'channel') : 'all'),
  },
  cooldownSeconds: { noun: 'pause between messages' },
  windowSeconds: { noun: 'time' },
  agents: { noun: 'number of agents' },
  share: { noun: 'share of the agents' },
  minFluentBitVersion: { noun: 'oldest version of Fluent Bit' },
  reporting: { noun: 'reporting of errors' },
};

function shown(field: string, value: unknown): string {
  if (value === null || value === undefined || value === '') return 'none';
  if (Array.isArray(value)) return showList(field, value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return field.endsWith('Seconds') ? lengthOf(value) : numberOf(value);
  if (typeof value === 'object') return showQuietHours(value);
  const text = String(value);
  const time = pointInTime(text);
  return time === text ? quote(text) : time;
}

function showList(field: string, values: readonly unknown[]): string {
  if (values.length === 0) return 'none';
  if (field === 'permissions') return describePermissions(values.map(String));
  const some = values.slice(0, maxNamed).map((one) => quote(String(one)));
  return listOf(values.length > maxNamed ? [...some, `${numberOf(values.length - maxNamed)} more`] : some);
}

/** Of the fields of an entry, only quiet hours are objects. */
function showQuietHours(value: object): string {
  const { from, until, timeZone } = value as Readonly<Record<string, unknown>>; // read as unknown
  return typeof from === 'string' ? `${from}-${until} ${timeZone}` : JSON.stringify(value);
}
