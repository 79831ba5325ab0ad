import { countOf, numberOf } from '../count-of.ts';
import type { AuditEntry } from '../schemas/audit.ts';
import { listOf, type Sentence, type SentencePart, say } from './sentence.ts';

export type Values = AuditEntry['after'];

/** The name of what an entry is about, or else its id. */
export function target({ target: { name, id } }: AuditEntry): SentencePart {
  return name === null ? (id ?? 'of unknown name') : { name };
}

/** A text of an entry, if it has one of this name. */
export function textIn(values: Values | undefined, name: string): string | undefined {
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

export function timeIn(values: Values | undefined, name: string): Sentence | undefined {
  const text = textIn(values, name);
  return text === undefined ? undefined : [toTime(text) ?? text];
}

function toTime(text: string): SentencePart | undefined {
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text) && !Number.isNaN(Date.parse(text));
  return isTime ? { time: text } : undefined;
}

export function reasonIn(values: Values): Sentence | undefined {
  const reason = textIn(values, 'reason');
  return reason === undefined ? undefined : say` (reason: ${{ quote: reason }})`;
}

export function expiryIn(values: Values): Sentence | undefined {
  const at = timeIn(values, 'expiresAt');
  return at && say`, valid until ${at}`;
}

/** Longer lists are counted; JSON has all of them. */
const maxNamed = 4;

export function permissionsIn(values: Values): Sentence {
  return describePermissions(textsIn(values, 'permissions'));
}

function describePermissions(granted: readonly string[]): Sentence {
  if (granted.includes('*') || granted.includes('*:*')) return ['all permissions'];
  if (granted.length === 0) return ['no permission'];
  return granted.length > maxNamed ? [countOf(granted.length, 'permission')] : listOf(granted);
}

/** `viewer`, or `read:agent and read:token` */
export function bareRole(values: Values): Sentence {
  const role = textIn(values, 'role');
  return role === undefined || role === 'custom' ? permissionsIn(values) : [role];
}

/** `as viewer`, or `with read:agent and read:token` */
export function roleIn(values: Values): Sentence {
  const role = textIn(values, 'role');
  return say`${role === undefined || role === 'custom' ? 'with' : 'as'} ${bareRole(values)}`;
}

/** `1 day`, `90 seconds` */
function lengthOf(seconds: number): string {
  const [length, unit] = units.find(([one]) => seconds > 0 && seconds % one === 0) ?? [1, 'second'];
  return countOf(seconds / length, unit);
}

const units = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
] as const;

/** What becomes of the value before a rotation. */
export function handOverIn(values: Values): string {
  const seconds = numberIn(values, 'graceSeconds');
  const ends = [
    ...(seconds === 0 ? [] : [`after ${lengthOf(seconds)}`]),
    ...(values?.retireOnUse === true ? ['when the new one is first used'] : []),
  ];
  return `; the earlier value ${ends.length === 0 ? 'ended at once' : `ends ${ends.join(', or ')}`}`;
}

/** What an update has changed: `: the name from 'a' to 'b', the expiry from none to 2027-01-01 00:00 UTC`. */
export function changesIn({ before, after }: AuditEntry): Sentence {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  const changed = [...names].filter(
    (name) => !untold.has(name) && JSON.stringify(before?.[name]) !== JSON.stringify(after?.[name]),
  );
  return changed.flatMap((name, place) => [
    place === 0 ? ': ' : ', ',
    ...describeChange(name, before, after),
  ]);
}

/** They say how it was done, or the same as another one. */
const untold: ReadonlySet<string> = new Set(['reason', 'groupsCount', 'assigneeID', 'graceSeconds']);

function describeChange(field: string, before: Values, after: Values): Sentence {
  const { noun = field, ofIDs } = fields[field] ?? {};
  const told = (values: Values) => (ofIDs ? [ofIDs(values?.[field])] : shown(field, values?.[field]));
  const [old, now] = [told(before), told(after)];
  if (JSON.stringify(old) === JSON.stringify(now)) return say`the ${noun}`;
  return say`the ${noun}${before !== null && field in before && say` from ${old}`} to ${now}`;
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

function shown(field: string, value: unknown): Sentence {
  if (value === null || value === undefined || value === '') return ['none'];
  if (Array.isArray(value)) return showList(field, value);
  if (typeof value === 'boolean') return [value ? 'yes' : 'no'];
  if (typeof value === 'number') return [field.endsWith('Seconds') ? lengthOf(value) : numberOf(value)];
  if (typeof value === 'object') return [showQuietHours(value)];
  const text = String(value);
  return [toTime(text) ?? { quote: text }];
}

function showList(field: string, values: readonly unknown[]): Sentence {
  if (values.length === 0) return ['none'];
  if (field === 'permissions') return describePermissions(values.map(String));
  const some = values.slice(0, maxNamed).map((one) => ({ quote: String(one) }));
  return listOf(values.length > maxNamed ? [...some, `${numberOf(values.length - maxNamed)} more`] : some);
}

/** Of the fields of an entry, only quiet hours are objects. */
function showQuietHours(value: object): SentencePart {
  const { from, until, timeZone } = value as Readonly<Record<string, unknown>>; // read as unknown
  return typeof from === 'string' ? `${from}-${until} ${timeZone}` : { quote: JSON.stringify(value) };
}
