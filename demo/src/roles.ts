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

const places = ['eu-west-1', 'eu-central-1', 'us-east-1'] as const;
/** Where the hosts' own tool writes the bad configuration. */
const rolloutPlace = 'eu-central-1';
/** Where agents get their configuration from Muster. */
export const servedPlace = 'us-east-1';

export function placeOf(index: number): (typeof places)[number] {
  return places[index % places.length] ?? servedPlace;
}

/** Share of all agents that get the bad configuration. */
const rolloutShare = 0.231;

const healthy: Role = { name: 'healthy' };

/** Each other role with its share of all agents. The rest is healthy. */
const shares: readonly (readonly [number, Role])[] = [
  [0.0062, faulty('[input:tail:tail.0] read error, check permissions: /nonexistent/dir/*.log')],
  [
    0.0016,
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
  [0.0012, faulty('[output:loki:loki.1] no upstream connections available')],
  [
    0.0008,
    faulty(
      "[tls] ca_file '/nonexistent/ca.pem' 268435584: error:80000002:system library::No such file or directory",
    ),
  ],
  [0.0006, faulty('[downstream] could not bind address 127.0.0.1:24999. Aborting')],
  [0.0018, { name: 'silent' }],
  [0.004, { name: 'stopped' }],
  [0.0004, { name: 'killed' }],
  [
    0.0004,
    {
      name: 'crashing',
      fault: fault("[config] section 'dumy' tried to instance a plugin name that doesn't exist"),
    },
  ],
];

/**
 * The roles of that many agents, the same in each run and spread over the fleet. Each role has an agent as long as there are
 * enough, and the bad configuration stays in its place as long as that has enough.
 */
export function assignRoles(count: number): Role[] {
  const number = randomNumbers(count);
  const indices = shuffle([...Array(count).keys()], number);
  const inPlace = (index: number): boolean => placeOf(index) === rolloutPlace;
  const ordered = [...indices.filter(inPlace), ...indices.filter((index) => !inPlace(index))];
  const rolloutCount = countOf(rolloutShare, count);
  const others = shuffle(ordered.slice(rolloutCount), number);
  const roles: Role[] = Array.from({ length: count }, () => healthy);
  for (const index of ordered.slice(0, rolloutCount)) roles[index] = { name: 'rollout' };
  for (const role of shares.flatMap(([share, one]) =>
    Array.from({ length: countOf(share, count) }, () => one),
  )) {
    const index = others.pop();
    if (index !== undefined) roles[index] = role;
  }
  return roles;
}

function countOf(share: number, count: number): number {
  return Math.max(1, Math.round(share * count));
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
