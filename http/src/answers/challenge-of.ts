import type { CredentialKind, Route } from '@muster/contract';

/** RFC 9110 section 11.6.1: the challenges of a 401, one for each kind of credential. */
const challenges: Readonly<Record<CredentialKind, string>> = {
  access: 'Bearer realm="muster"',
  project: 'X-Project-Token realm="muster"',
  agent: 'X-Agent-Token realm="muster"',
  core_instance: 'X-Core-Instance-Token realm="muster"',
};

const basicChallenge = 'Basic realm="muster", charset="UTF-8"';

/** The value of WWW-Authenticate in a 401 of a route. */
export function challengeOf({ credentials, takesBasic }: Pick<Route, 'credentials' | 'takesBasic'>): string {
  // A route without kinds of its own that refuses a caller wants the token of a setting, such as MUSTER_METRICS_TOKEN.
  const kinds = credentials.length === 0 ? (['access'] as const) : credentials;
  const accepted = kinds.map((kind) => challenges[kind]);
  // Some clients send a password only after this challenge.
  if (takesBasic) accepted.push(basicChallenge);
  return accepted.join(', ');
}
