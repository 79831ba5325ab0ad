import type { AgentErrorGroup } from './schemas/agent-error-group.ts';

type KnownCause = Pick<AgentErrorGroup, 'explanation'>;

/** What is wrong with agents that have a cause, such as "cannot reach their destination". */
export function predicateOf({ explanation }: KnownCause, agentsCount: number): string {
  const isOne = agentsCount === 1;
  if (explanation === null) return isOne ? 'has this error' : 'have the same error';
  const [one, many] = predicates[explanation.id] ?? [];
  if (one !== undefined && many !== undefined) return isOne ? one : many;
  return `${isOne ? 'has' : 'have'} the error “${explanation.title}”`;
}

/** What was wrong with them, such as "could not reach their destination". */
export function pastPredicateOf({ explanation }: KnownCause, agentsCount: number): string {
  const [verb = '', ...rest] = predicateOf({ explanation }, agentsCount).split(' ');
  const said = past[verb];
  if (said !== undefined) return [said, ...rest].join(' ');
  return explanation === null ? 'had the same error' : `had the error “${explanation.title}”`;
}

const past: Readonly<Record<string, string>> = {
  cannot: 'could not',
  has: 'had',
  have: 'had',
  is: 'was',
  are: 'were',
};

/** What is wrong with an agent, and with several, for the most frequent entries of the catalogue of known errors. */
const predicates: Readonly<Record<string, readonly [one: string, many: string]>> = {
  'fluent-bit/no-upstream': ['cannot reach its destination', 'cannot reach their destination'],
  'fluent-bit/connect-timeout': ['cannot reach its destination', 'cannot reach their destination'],
  'fluent-bit/connect-failed': ['cannot reach its destination', 'cannot reach their destination'],
  'fluent-bit/errno-connection-refused': [
    'is refused by its destination',
    'are refused by their destination',
  ],
  'fluent-bit/errno-no-route': ['cannot reach its destination', 'cannot reach their destination'],
  'fluent-bit/dns-not-found': [
    'cannot find the host of its destination',
    'cannot find the host of their destination',
  ],
  'fluent-bit/io-timeout': ['gets no answer from its destination', 'get no answer from their destination'],
  'fluent-bit/http-400': [
    'sends what its destination does not take (400)',
    'send what their destination does not take (400)',
  ],
  'fluent-bit/http-401': [
    'cannot sign in to its destination (401)',
    'cannot sign in to their destination (401)',
  ],
  'fluent-bit/http-403': [
    'is not allowed to write to its destination (403)',
    'are not allowed to write to their destination (403)',
  ],
  'fluent-bit/http-404': [
    'sends to an address that does not exist (404)',
    'send to an address that does not exist (404)',
  ],
  'fluent-bit/http-413': [
    'sends requests that are too large (413)',
    'send requests that are too large (413)',
  ],
  'fluent-bit/http-429': [
    'is held back by its destination (429)',
    'are held back by their destination (429)',
  ],
  'fluent-bit/http-500': ['has a destination that fails (500)', 'have a destination that fails (500)'],
  'fluent-bit/http-503': [
    'has a destination that is not available (503)',
    'have a destination that is not available (503)',
  ],
  'fluent-bit/tls-verify': [
    'does not trust the certificate of its destination',
    'do not trust the certificate of their destination',
  ],
  'fluent-bit/tls-ca-file': ['cannot use its CA file', 'cannot use their CA file'],
  'fluent-bit/tail-permission': ['cannot read a file', 'cannot read a file'],
  'fluent-bit/bind-address': ['cannot use its address', 'cannot use their address'],
  'fluent-bit/unknown-plugin': ['has an unknown plugin', 'have an unknown plugin'],
  'fluent-bit/errno-no-space': ['has a full disk', 'have a full disk'],
  'vector/unable-to-connect': ['cannot reach its destination', 'cannot reach their destination'],
  'vector/connection-refused': ['is refused by its destination', 'are refused by their destination'],
  'vector/not-retriable': ['is refused by its destination', 'are refused by their destination'],
  'vector/disk-full': ['has a full disk', 'have a full disk'],
};
