import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAgentErrors } from '../../server/src/testing/calls/agent-error-calls.ts';
import { startTestApp, type TestApp, type TestProject } from '../../server/src/testing/start-test-app.ts';
import { readSource } from '../architecture/source-files.ts';

/** A request that a real agent sent with its configuration in docs/other-agents.md, and the status that it got. */
interface RecordedRequest {
  readonly target: string;
  /** `PROJECT_TOKEN` stands for the token, and a password is not encoded. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly status: number;
}

let app: TestApp;
let project: TestProject;

beforeAll(async () => {
  app = await startTestApp();
  project = await app.createProject();
});

afterAll(() => app.close());

function readRecorded(agent: string): RecordedRequest[] {
  const url = new URL(`../../samples/other-agents/${agent}.json`, import.meta.url);
  return JSON.parse(readFileSync(url, 'utf8'));
}

/** Sends it to a machine of its own, and returns what it got. */
function replay(agent: string, { target, headers, body }: RecordedRequest) {
  const filled = Object.entries(headers).map(([name, value]) => {
    const text = value.replace('PROJECT_TOKEN', project.token);
    const basic = /^Basic (.+)$/s.exec(text)?.[1];
    return [name, basic === undefined ? text : `Basic ${Buffer.from(basic).toString('base64')}`];
  });
  return app.request('POST', target.replace('db-01', agent), { headers: Object.fromEntries(filled), body });
}

async function storedOf(machineID: string): Promise<string[]> {
  const { body: agents } = await app.request<{ id: string }[]>(
    'GET',
    `/v1/projects/${project.id}/agents?name=${machineID}`,
    { as: { access: app.admin } },
  );
  const { body } = await callAgentErrors(app).listOfAgent(agents[0]?.id ?? 'none');
  return body.map(({ error }) => error).reverse();
}

const collectdText =
  'Host db-01, plugin uptime type uptime: Data source "value" is currently 12857.000000. That is above the failure threshold of 1.000000.';

const replays: readonly (readonly [string, readonly string[]])[] = [
  ['syslog-ng', ['cannot write to /var: No space left on device', String.raw`a "quoted" text, \xff and é`]],
  ['rsyslog-omelasticsearch', ['cannot write to /var', 'second "quoted" line']],
  ['rsyslog-omprog', ['cannot write to /var', 'second "quoted" line']],
  ['collectd', [collectdText, 'disk is fine again']],
  [
    'cron',
    [
      "tar ended with exit code 2\ntar: Removing leading `/' from member names\ntar: /no/such/folder: Cannot stat: No such file or directory\ntar: Exiting with failure status due to previous errors",
    ],
  ],
];

describe.each(replays)('what a real agent sent: %s', (agent, texts) => {
  it('gets the same answers again, and its errors are stored', async () => {
    const recorded = readRecorded(agent);
    const answers = [];
    for (const request of recorded) answers.push(await replay(agent, request));
    expect(answers.map(({ status }) => status)).toEqual(recorded.map(({ status }) => status));
    expect(await storedOf(agent)).toEqual(texts);
  });

  it('went to the address in docs/other-agents.md', () => {
    // rsyslog joins the address from parts.
    const page = readSource('docs/other-agents.md')
      .replaceAll('$(uname -n)', 'db-01')
      .replaceAll('%$myhostname%', 'db-01')
      .replace('"errors?truncate=true"', '/v1/machines/db-01/errors?truncate=true');
    for (const { target } of readRecorded(agent)) expect(page).toContain(target);
  });
});

it('an empty message of syslog-ng does not lose the others of its batch', async () => {
  const [batch] = readRecorded('syslog-ng');
  if (batch === undefined) throw new Error('nothing was recorded');
  expect(JSON.parse(batch.body)).toContainEqual({ error: '' });
  const answer = await replay('partial', batch);
  expect(answer).toMatchObject({ status: 201, text: '', headers: { 'muster-refused': '1' } });
  const whole = await replay('whole', { ...batch, target: batch.target.replace('&partial=true', '') });
  expect(whole).toMatchObject({ status: 422, body: { fields: [{ path: '/1/error' }] } });
});

it('collectd sends its password only after a challenge', async () => {
  const [first, second] = readRecorded('collectd');
  if (first === undefined || second === undefined) throw new Error('nothing was recorded');
  expect([first.headers.Authorization, second.headers.Authorization]).toEqual([
    undefined,
    'Basic collectd:PROJECT_TOKEN',
  ]);
  expect((await replay('challenged', first)).headers['www-authenticate']).toContain('Basic realm="muster"');
});
