import { hash } from 'node:crypto';
import { formatToken } from '@muster/contract';
import { firstPlaceAt, idAtPlace } from '../../server/src/foundation/database/id-place.ts';

/**
 * A project after a month: its agents, and errors that are evenly spread over that time, most of them dismissed.
 * The same numbers always give the same rows, so tests need not read a stored data set to know its rows.
 */
export interface DataSetShape {
  readonly agents: number;
  readonly errors: number;
}

/** Agents that together have a fifth of all errors. */
const maxNoisyAgents = 10;
const noisyShare = 0.2;
/** One in this many errors is open, but no agent has more open ones than its limit allows by default (1,000). */
const openEvery = 10;
const openOfAgent = 900;

const dayMilliseconds = 86_400_000;
/** Creation time of the newest error. */
const newest = Date.UTC(2026, 0, 1);
const spanMilliseconds = 30 * dayMilliseconds;
/** Half of the errors are older, half are newer. */
export const middleOfTime = newest - spanMilliseconds / 2;
const registration = newest - spanMilliseconds - dayMilliseconds;

export const projectID = idAt(registration, 0);

export function agentIDOf(agent: number): string {
  return idAt(registration + agent, agent);
}

/** Derived from the agent's number: these tokens are valid only in a benchmark. */
export function agentTokenOf(agent: number): string {
  return formatToken('agent', hash('sha256', `agent ${agent} of the benchmark`, 'buffer'));
}

/** Agents with enough errors to fill a page. */
export function noisyAgentIDs(shape: DataSetShape): string[] {
  return Array.from({ length: noisyAgents(shape) }, (_, agent) => agentIDOf(agent));
}

export function errorCountOf(shape: DataSetShape, agent: number): number {
  const noisy = noisyAgents(shape);
  const ofNoisy = Math.floor((shape.errors * noisyShare) / noisy);
  if (agent < noisy) return ofNoisy;
  const left = shape.errors - ofNoisy * noisy;
  const others = shape.agents - noisy;
  return Math.floor(left / others) + (agent - noisy < left % others ? 1 : 0);
}

interface StoredError {
  readonly id: string;
  readonly createdAt: number;
  readonly lastSeenAt: number;
  readonly occurrences: number;
  readonly error: string;
  /** Null: open. */
  readonly dismissedAt: number | null;
}

/** The errors of an agent, oldest first. `number` counts the errors of the whole data set. */
export function storedErrorOf(index: number, count: number, number: number): StoredError {
  const chance = scatter(number);
  const createdAt =
    newest - spanMilliseconds + Math.floor(((index + chance / 2 ** 32) / count) * spanMilliseconds);
  return {
    id: idAt(createdAt, number),
    createdAt,
    lastSeenAt: createdAt + (chance % dayMilliseconds),
    occurrences: 1 + (chance % 1_000),
    error: `[output:es:es.${number % 4}] HTTP status=${400 + (number % 100)} URI=/_bulk, response of request ${number}`,
    dismissedAt:
      chance % Math.max(openEvery, Math.ceil(count / openOfAgent)) === 0 ? null : createdAt + 3_600_000,
  };
}

function noisyAgents({ agents }: DataSetShape): number {
  return Math.min(maxNoisyAgents, Math.floor(agents / 2));
}

/** A UUIDv7 of a time, with a number in place of its random bits, and the end of it in place of its sequence. */
function idAt(milliseconds: number, number: number): string {
  const place = firstPlaceAt(milliseconds) + BigInt(number % 2 ** 19);
  return idAtPlace({ place, rest: BigInt(number) });
}

/** Scatters numbers over 32 bits (the finalizer of MurmurHash3). */
function scatter(number: number): number {
  let bits = number | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
