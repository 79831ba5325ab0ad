import { randomNumbers } from './random-numbers.ts';
import { readSampleText } from './sample-texts.ts';

/** An error that an agent reports while its cause lasts, as a real Fluent Bit printed it. */
export interface Fault {
  readonly text: string;
  /** True if each report has other numbers, such as the name of a chunk, so that each is a new error. */
  readonly isNewEachTime: boolean;
}

/** What an agent does in the demo. */
export interface Role {
  readonly name: 'healthy' | 'rollout' | 'faulty' | 'crashing' | 'stopped' | 'killed' | 'silent';
  /** What it reports from the start. */
  readonly fault?: Fault;
}

/** The error of the agents that get the bad configuration. */
export const rolloutFault: Fault = fault('refused.conf', '[output:http:http.1] no upstream connections');

/** Share of the agents that get the bad configuration. */
const rolloutShare = 0.231;

const healthy: Role = { name: 'healthy' };

/** Each role of the fleet with its share, the largest first. All others are healthy. */
const shares: readonly (readonly [number, Role])[] = [
  [rolloutShare, { name: 'rollout' }],
  [0.02, faulty('tail-missing.conf', '[input:tail:tail.0] read error')],
  [0.015, { name: 'faulty', fault: { ...fault('es.conf', "[engine] chunk '"), isNewEachTime: true } }],
  [0.012, faulty('es.conf', '[output:loki:loki.1] no upstream connections')],
  [0.01, faulty('tls.conf', '[tls] ca_file')],
  [0.006, faulty('portinuse.conf', '[downstream] could not bind address')],
  [0.005, { name: 'silent' }],
  [0.004, { name: 'stopped' }],
  [0.002, { name: 'killed' }],
  [0.002, { name: 'crashing', fault: fault('bad-plugin.conf', "[config] section 'dumy'") }],
];

/**
 * The roles of that many agents, the same in each run and spread over the fleet. Each role has an agent as long as there are
 * enough.
 */
export function assignRoles(count: number): Role[] {
  const taken = shares.flatMap(([share, role]) =>
    Array.from({ length: Math.max(1, Math.round(share * count)) }, () => role),
  );
  const roles = Array.from({ length: count }, (_, index) => taken[index] ?? healthy);
  return shuffle(roles, randomNumbers(count));
}

/** Fisher and Yates. */
function shuffle<Item>(items: readonly Item[], number: (limit: number) => number): Item[] {
  const shuffled = [...items];
  for (let last = shuffled.length - 1; last > 0; last -= 1) {
    const other = number(last + 1);
    const [one, two] = [shuffled[last], shuffled[other]];
    if (one === undefined || two === undefined) continue;
    shuffled[last] = two;
    shuffled[other] = one;
  }
  return shuffled;
}

function faulty(configuration: string, start: string): Role {
  return { name: 'faulty', fault: fault(configuration, start) };
}

function fault(configuration: string, start: string): Fault {
  return { text: readSampleText(configuration, start), isNewEachTime: false };
}
