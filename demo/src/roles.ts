import { randomNumbers } from './random-numbers.ts';

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
export const rolloutFault: Fault = fault(
  '[output:http:http.1] no upstream connections available to 127.0.0.1:9',
);

/** Share of the agents that get the bad configuration. */
const rolloutShare = 0.231;

const healthy: Role = { name: 'healthy' };

/** Each role of the fleet with its share, the largest first. All others are healthy. */
const shares: readonly (readonly [number, Role])[] = [
  [rolloutShare, { name: 'rollout' }],
  [0.02, faulty('[input:tail:tail.0] read error, check permissions: /nonexistent/dir/*.log')],
  [
    0.015,
    {
      name: 'faulty',
      fault: {
        ...fault(
          "[engine] chunk '15071-1795220972.323510432.flb' cannot be retried: task_id=1, input=dummy.0 > output=loki.1",
        ),
        isNewEachTime: true,
      },
    },
  ],
  [0.012, faulty('[output:loki:loki.1] no upstream connections available')],
  [
    0.01,
    faulty(
      "[tls] ca_file '/nonexistent/ca.pem' 268435584: error:80000002:system library::No such file or directory",
    ),
  ],
  [0.006, faulty('[downstream] could not bind address 127.0.0.1:24999. Aborting')],
  [0.005, { name: 'silent' }],
  [0.004, { name: 'stopped' }],
  [0.002, { name: 'killed' }],
  [
    0.002,
    {
      name: 'crashing',
      fault: fault("[config] section 'dumy' tried to instance a plugin name that doesn't exist"),
    },
  ],
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

function faulty(text: string): Role {
  return { name: 'faulty', fault: fault(text) };
}

function fault(text: string): Fault {
  return { text, isNewEachTime: false };
}
