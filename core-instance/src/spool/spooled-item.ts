/** Whose credential an agent sent: a project token, or the token of an agent. Credentials themselves are never spooled. */
export type SentBy = { readonly tokenID: string } | { readonly agentID: string };

/** The agent that an error is about: its id, or the id of its machine and the name to register it with. */
export type ReportTarget =
  | { readonly agentID: string }
  | { readonly machineID: string; readonly name?: string | undefined };

/** A text that an agent reported `count` times. Times are milliseconds since 1970 by the clock of this machine. */
export interface SpooledError {
  readonly kind: 'error';
  readonly by: SentBy;
  readonly target: ReportTarget;
  readonly error: string;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly count: number;
}

/** A registration that was answered with an id and a token made here. */
export interface SpooledRegistration {
  readonly kind: 'registration';
  readonly at: number;
  readonly agentID: string;
  readonly tokenDigest: string;
  readonly tokenID: string;
  /** As the agent described itself. */
  readonly agent: Readonly<Record<string, unknown>>;
}

export interface SpooledUpdate {
  readonly kind: 'update';
  readonly at: number;
  readonly agentID: string;
  readonly by: SentBy;
  readonly agent: Readonly<Record<string, unknown>>;
}

/** An agent said that it ends. Other signs of life are not spooled: the next one says more. */
interface SpooledEnd {
  readonly kind: 'end';
  readonly at: number;
  readonly by: SentBy;
  readonly target: ReportTarget;
  readonly heartbeat: Readonly<Record<string, unknown>>;
}

/** State is what an agent is: it is never dropped for age, and has room of its own. */
type SpooledState = SpooledRegistration | SpooledUpdate | SpooledEnd;

export type SpooledItem = SpooledError | SpooledState;

/** An item without whom and what an error is about. */
export type CountedItem = Pick<SpooledError, 'kind' | 'firstAt' | 'lastAt' | 'count'> | SpooledState;

export function reportsIn(item: CountedItem): number {
  return item.kind === 'error' ? item.count : 0;
}

export function timeOf(item: CountedItem): number {
  return item.kind === 'error' ? item.firstAt : item.at;
}

export function lastTimeOf(item: CountedItem): number {
  return item.kind === 'error' ? item.lastAt : item.at;
}

/** Equal for errors that differ in their times and counts alone. */
export function foldKeyOf({ by, target, error }: SpooledError): string {
  return JSON.stringify([
    'tokenID' in by ? by.tokenID : [by.agentID],
    'agentID' in target ? target.agentID : [target.machineID, target.name],
    error,
  ]);
}

/** Two errors with the same key as one. */
export function foldErrors(one: SpooledError, other: SpooledError): SpooledError {
  return {
    ...one,
    firstAt: Math.min(one.firstAt, other.firstAt),
    lastAt: Math.max(one.lastAt, other.lastAt),
    count: one.count + other.count,
  };
}

/** About what an item takes on the disk: an upper bound for ASCII, which all but texts are. */
export function sizeOf(item: SpooledItem): number {
  if (item.kind === 'error') return 320 + item.error.length;
  return 320 + Buffer.byteLength(JSON.stringify(item.kind === 'end' ? item.heartbeat : item.agent));
}
