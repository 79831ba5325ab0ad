import { formatProjectToken, type Problem } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningCoreInstance } from '../../core-instance/src/start-core-instance.ts';
import { type ListeningApp, startListeningApp } from '../robustness/listening-app.ts';
import { startSiteBeside } from './site-beside.ts';

let centre: ListeningApp;
let site: RunningCoreInstance;
let narrow: string;

beforeAll(async () => {
  centre = await startListeningApp({
    config: { newErrorsPerAgentPerMinute: 13, invalidCredentialsPerAddressPerMinute: 3 },
  });
  const { test, project } = centre;
  const { body } = await test.request<{ token: string }>('POST', `/v1/projects/${project.id}/tokens`, {
    as: { access: test.admin },
    body: { name: 'narrow', permissions: ['create:agent', 'create:agent_error'], reportsPerSecond: 2 },
  });
  narrow = body.token;
  // As the clock of the centre, which stands still.
  site = await startSiteBeside(centre, { monotonic: () => 0 });
});
afterAll(async () => {
  await site?.stop();
  await centre?.test.close();
});

interface Told {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly outcome: string | null;
  readonly problem: Omit<Problem, 'requestID'> | undefined;
}

async function report(port: number, path: string, token: string, body: unknown): Promise<Told> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Project-Token': token },
    body: JSON.stringify(body),
  });
  const { requestID: _, ...problem } = (await answer.json()) as Problem;
  return {
    status: answer.status,
    retryAfter: answer.headers.get('retry-after'),
    outcome: answer.headers.get('muster-agent-error'),
    problem: answer.status === 201 ? undefined : problem,
  };
}

/** Sends the same to both, of two machines: what the site passes on counts for its machine alone. Returns the codes of the answers. */
async function both(bodies: readonly unknown[], token = centre.project.token): Promise<(string | number)[]> {
  const codes: (string | number)[] = [];
  for (const body of bodies) {
    const ofSite = await report(site.port, '/v1/machines/at-site/errors', token, body);
    expect(ofSite).toEqual(await report(centre.port, '/v1/machines/at-centre/errors', token, body));
    codes.push(ofSite.problem?.code ?? ofSite.status);
  }
  return codes;
}

const reportsOf = (...texts: readonly string[]) => texts.map((error) => ({ error }));

describe('the limits of the centre at a site', () => {
  it('are those on new errors of one agent and of one cause, with the same answers', async () => {
    const slow = Array.from({ length: 12 }, (_, index) => `no answer within ${index} ms`);
    expect(await both(reportsOf(...slow))).toEqual([
      ...Array<number>(10).fill(201),
      ...Array<string>(2).fill('too_many_errors_of_cause'),
    ]);
    // Those that fit in are stored, and repeats of them are accepted.
    expect(
      await both([
        reportsOf('disk full', 'certificate expired', 'cannot parse', 'no such host', 'disk full'),
        { error: 'disk full' },
        { error: 'no answer within 3 ms' },
        { error: 'no such host' },
        reportsOf('cannot parse', 'certificate expired'),
      ]),
    ).toEqual(['too_many_new_errors_of_agent', 201, 201, 'too_many_new_errors_of_agent', 201]);
  });

  it('are those on reports of a token', async () => {
    const again = { error: 'disk full' };
    expect(await both([again, again, again], narrow)).toEqual([201, 201, 'too_many_reports_of_token']);
  });

  it('are those on invalid credentials of an address, which never concern valid ones', async () => {
    const tokenID = '0192f0a0-0000-7000-8000-00000000c0de';
    const unknown = formatProjectToken({ projectID: centre.project.id, tokenID }, Buffer.alloc(32, 9));
    const again = { error: 'disk full' };
    expect(await both([again, again, again, again], unknown)).toEqual([
      ...Array<string>(3).fill('invalid_credential'),
      'too_many_invalid_credentials',
    ]);
    expect(await both([again])).toEqual([201]);
  });
});
