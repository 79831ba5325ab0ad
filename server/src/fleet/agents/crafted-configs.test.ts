import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAgents } from '../../testing/calls/agent-calls.ts';
import { startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';

let app: TestApp;
let agents: ReturnType<typeof callAgents>;
let project: TestProject;

beforeAll(async () => {
  app = await startTestApp();
  agents = callAgents(app);
  project = await app.createProject();
});

afterAll(() => app.close());

async function register(body: object) {
  const answer = await agents.register(project, { name: 'n', machineID: randomUUID(), ...body });
  expect(answer.status).toBe(201);
  return answer.body;
}

/** None of these is refused, because an agent whose update is refused stays silent until it is restarted. */
describe('crafted configurations that are expensive to redact', () => {
  it('with 100,000 short secrets are redacted completely, and stored with little growth', async () => {
    const agent = await register({});
    const rawConfig = 'pw 1\n'.repeat(100_000);
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) => agents.update(agent, { rawConfig: `${rawConfig}${index}` })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 204));
    expect((await agents.get(agent.id)).rawConfig).toBe(`--redacted--${'\n'.repeat(100_000)}`);
  });

  it.each(['#', '# ', '"', '\\', '-', '{', "'", 'a'])('of only %j are stored unchanged', async (piece) => {
    const rawConfig = piece.repeat(400_000);
    const agent = await register({ rawConfig });
    const stored = (await agents.get(agent.id)).rawConfig;
    expect(stored === rawConfig).toBe(true);
  });

  it('that are too long are accepted, and a note is stored instead', async () => {
    const agent = await register({ rawConfig: '#'.repeat(3_900_000) });
    const first = await agents.get(agent.id);
    expect(first.rawConfig).toBe(
      '# Not stored: this configuration has 3900000 characters, and at most 1048576 are stored.\n',
    );
    // A different one is still detected as different.
    expect((await agents.update(agent, { rawConfig: `${'#'.repeat(3_899_999)}x` })).status).toBe(204);
    const second = await agents.get(agent.id);
    expect(second.configID).not.toBe(first.configID);
    expect(second.rawConfig).toBe(first.rawConfig);
  });

  it('of some 100,000 characters are stored completely, without their secrets', async () => {
    const block =
      '[OUTPUT]\n    name es\n    host es.example.com\n    http_user bob\n    http_passwd Hunter2\n';
    const rawConfig = block.repeat(4_000);
    const agent = await register({ rawConfig });
    const stored = (await agents.get(agent.id)).rawConfig;
    expect(stored === rawConfig.replaceAll('Hunter2', '--redacted--')).toBe(true);
  });
});

describe('the description of an agent', () => {
  it('is stored without its secrets', async () => {
    const description = {
      flags: ['--config=/etc/x.conf', '--api-token=Hunter2', '-u', 'bob:Hunter2', '--password', 'Hunter2'],
      metadata: {
        aws: { az: 'eu-west-1a', access_key_id: 'AKIAABCDEFGHIJKLMNOP' },
        api_key: 'Hunter2',
        url: 'https://bob:Hunter2@h/',
        command: ['agent', '--api-token', 'Hunter2'],
      },
      tags: ['key=eu', 'https://bob:Hunter2@h/'],
    };
    const redacted = {
      flags: [
        '--config=/etc/x.conf',
        '--api-token=--redacted--',
        '-u',
        'bob:--redacted--',
        '--password',
        '--redacted--',
      ],
      metadata: {
        aws: { az: 'eu-west-1a', access_key_id: '--redacted--' },
        api_key: '--redacted--',
        url: 'https://--redacted--@h/',
        command: ['agent', '--api-token', '--redacted--'],
      },
      tags: ['key=eu', 'https://bob:--redacted--@h/'],
    };
    const agent = await register(description);
    expect(await agents.get(agent.id)).toMatchObject(redacted);
    expect((await agents.update(agent, { flags: [], metadata: {}, tags: [] })).status).toBe(204);
    expect(await agents.get(agent.id)).toMatchObject({ flags: [], metadata: {}, tags: [] });
    expect((await agents.update(agent, description)).status).toBe(204);
    expect(await agents.get(agent.id)).toMatchObject(redacted);
  });
});
