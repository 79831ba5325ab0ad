import { afterAll, beforeAll, expect, it } from 'vitest';
import { StockAgent } from '../../../../server/src/testing/calls/stock-agent.ts';
import { FleetWithCauses, withoutIDs } from '../../testing/fleet-with-causes.ts';
import { type CliTest, startCliTest } from '../../testing/start-cli-test.ts';

let cli: CliTest;
let fleet: FleetWithCauses;

beforeAll(async () => {
  cli = await startCliTest();
  fleet = await FleetWithCauses.create(cli);
});
afterAll(() => cli.close());

const asAdmin = () => ({ as: { access: cli.app.admin } });
const rawConfig = (release: number) =>
  `# release ${release}\n[INPUT]\n    Name dummy\n    Tag  ${release}\n\n[OUTPUT]\n    Name  stdout\n    Match *\n`;

/** What `error get` says of the first configuration of the group with this text. */
async function firstConfigOf(text: string, env: Readonly<Record<string, string>> = cli.admin) {
  const { stdout } = await cli.run(['error', 'get', await fleet.groupID(text)], { env });
  return /^first config +(.*)$/m.exec(withoutIDs(stdout))?.[1];
}

it('is named by the version of the fleet that its first agent runs', async () => {
  const body = { name: 'plant-north', rawConfig: rawConfig(7), reporting: 'off' };
  const path = `/v1/projects/${fleet.project.id}/fleets`;
  expect((await cli.app.request('POST', path, { ...asAdmin(), body })).status).toBe(201);
  const options = { project: fleet.project, machineID: 'press-1', name: 'press-1' };
  const agent = new StockAgent(cli.app, options);
  await agent.startByName('plant-north');
  cli.app.clock.advance(15_000);
  await agent.poll();
  await fleet.report('press-1', 'the press is stuck');
  expect(await firstConfigOf('the press is stuck')).toBe(
    `version 1 of plant-north ${'#'.repeat(36)}, first on press-1`,
  );
});

it('is named by what it says itself, also when its agent has another one by now', async () => {
  const { id, token } = await cli.app.registerAgent(fleet.project);
  const configure = async (release: number) => {
    const body = { rawConfig: rawConfig(release) };
    const answer = await cli.app.request('PATCH', `/v1/agents/${id}`, { as: { agent: token }, body });
    expect(answer.status).toBe(204);
  };
  await configure(8);
  await configure(9);
  const error = { error: 'the valve is open' };
  await cli.app.request('POST', `/v1/agents/${id}/errors`, { as: { agent: token }, body: error });
  await configure(10);
  expect(await firstConfigOf('the valve is open')).toBe(`release 9 ${'#'.repeat(36)}, first on web-01`);
});

it('comes with the lines that it changed, and with the steps for them', async () => {
  const { id, token } = await cli.app.registerAgent(fleet.project);
  const configure = (release: number, port: number) =>
    cli.app.request('PATCH', `/v1/agents/${id}`, {
      as: { agent: token },
      body: {
        rawConfig: `# release ${release}\n[OUTPUT]\n    Name http\n    Host 10.21.160.1\n    Port ${port}\n`,
      },
    });
  await configure(41, 443);
  await configure(42, 9);
  const error = { error: '[output:http:http.1] no upstream connections available to 10.21.160.1:9' };
  const report = () =>
    cli.app.request('POST', `/v1/agents/${id}/errors`, { as: { agent: token }, body: error });
  await report();
  const groupID = await fleet.groupID('no upstream');
  const { stdout } = await cli.run(['error', 'get', groupID], { env: cli.admin });
  expect(stdout).toMatch(/^who has it +1 of 1 agent with release 42; 0 of \d+ others$/m);
  expect(withoutIDs(stdout)).toContain(`
What changed: release 42 ########, first on web-01

  -# release 41
  +# release 42
  -    Port 443
  +    Port 9

What to do:
  1. Run \`nc -vz 10.21.160.1 9\` on web-01.
  2. If it is refused, run \`nc -vz 10.21.160.1 443\`, with the port that stood there before release 42.
  3. If that answers, put back what was before release 42. The cause closes by itself when its agents run another configuration without it.
`);
  expect(stdout).toContain('\nIf it is something else:\n  1. Run `curl -v');
  const path = `/v1/projects/${fleet.project.id}/dismissals`;
  await cli.app.request('POST', path, { ...asAdmin(), body: { reason: 'fixed', filter: { groupID } } });
  const { stdout: later } = await cli.run(['error', 'get', groupID], { env: cli.admin });
  expect(later).toContain('no upstream connections available');
  expect(later).not.toContain('What changed');
  // The agent still has the release.
  cli.app.clock.advance(1_000);
  await report();
  const { stdout: back } = await cli.run(['error', 'get', groupID], { env: cli.admin });
  expect(back).toContain('regressed');
  expect(withoutIDs(back)).toContain('\nWhat changed: release 42 ########, first on web-01\n');
  await configure(43, 10);
  await report();
  const { stdout: other } = await cli.run(['error', 'get', groupID], { env: cli.admin });
  expect(withoutIDs(other)).toContain(`
What changed: release 43 ########, first on web-01

  -# release 42
  +# release 43
  -    Port 9
  +    Port 10
`);
});

it('is no advice once no agent that has the cause runs it', async () => {
  const project = await cli.app.createProject('one is left');
  const add = async (name: string, address: string) => {
    const { id, token } = await cli.app.registerAgent(project, name);
    const call = (method: string, path: string, body: object) =>
      cli.app.request(method, `/v1/agents/${id}${path}`, { as: { agent: token }, body });
    await call('PATCH', '', { name });
    return {
      configure: async (release: number, port: number) => {
        cli.app.clock.advance(1_000);
        const rawConfig = `# release ${release}\n[OUTPUT]\n    Name http\n    Port ${port}\n`;
        await call('PATCH', '', { rawConfig });
      },
      report: () =>
        call('POST', '/errors', {
          error: `[output:http:http.0] no upstream connections available to ${address}:9`,
        }),
    };
  };
  const [first, second] = [await add('line-1', '10.0.0.1'), await add('line-2', '10.0.0.2')];
  for (const agent of [first, second]) {
    await agent.configure(41, 443);
    await agent.configure(42, 9);
    await agent.report();
  }
  const { body: errors } = await cli.app.request<{ groupID: string }[]>(
    'GET',
    `/v1/projects/${project.id}/agent_errors`,
    asAdmin(),
  );
  const get = () => cli.run(['error', 'get', errors[0]?.groupID ?? ''], { env: cli.admin });
  const { stdout: both } = await get();
  expect(both).toMatch(/^who has it +2 of 2 agents with release 42$/m);
  expect(both).toContain('1. Run `nc -vz 10.0.0.1 9` on line-1.');
  await first.configure(43, 443);
  const { stdout: other } = await get();
  expect(other).toContain('1. Run `nc -vz 10.0.0.2 9` on line-2.');
  await second.configure(43, 443);
  const third = await add('line-3', '10.0.0.3');
  await third.report();
  const { stdout: left } = await get();
  expect(withoutIDs(left)).toContain(
    `first config  release 42 ${'#'.repeat(36)}, first on line-1; no agent that has the cause now runs it\n`,
  );
  expect(left).not.toContain('What changed');
  expect(left).not.toContain('who has it');
  expect(left).toContain('\nWhat to do on line-3, which has it now:\n');
  expect(left).toContain('10.0.0.3');
  const { stdout: status } = await cli.run(['status'], { env: { ...cli.admin, MUSTER_PROJECT: project.id } });
  expect(withoutIDs(status)).toContain(
    `with release 42 ${'#'.repeat(36)} that none of them runs now: Destination not reachable`,
  );
});

it('is what the cause came back with after a release that fixed it', async () => {
  const project = await cli.app.createProject('returns');
  const { id, token } = await cli.app.registerAgent(project, 'line-1');
  const configure = async (release: number, port: number) => {
    cli.app.clock.advance(1_000);
    await cli.app.request('PATCH', `/v1/agents/${id}`, {
      as: { agent: token },
      body: { rawConfig: `# release ${release}\n[OUTPUT]\n    Name http\n    Port ${port}\n` },
    });
  };
  const report = async () => {
    const body = { error: '[output:http:http.0] no upstream connections available to 10.0.0.7:9' };
    await cli.app.request('POST', `/v1/agents/${id}/errors`, { as: { agent: token }, body });
  };
  await configure(41, 443);
  await configure(42, 9);
  await report();
  await configure(43, 443);
  const list = await cli.app.request<{ id: string }[]>(
    'GET',
    `/v1/projects/${project.id}/agent_error_groups?current=false`,
    asAdmin(),
  );
  const groupID = list.body[0]?.id ?? '';
  const dismissals = `/v1/projects/${project.id}/dismissals`;
  const body = { reason: 'fixed by release 43', filter: { groupID } };
  await cli.app.request('POST', dismissals, { ...asAdmin(), body });
  await configure(44, 9);
  await report();
  const { stdout, stderr } = await cli.run(['error', 'get', groupID], { env: cli.admin });
  const all = withoutIDs(stdout);
  expect(all).toContain(`
first config  ${'#'.repeat(36)}
back with     release 44 ${'#'.repeat(36)}, first on web-01
`);
  expect(all).toContain(`
What changed: release 44 ########, first on web-01

  -# release 43
  +# release 44
  -    Port 443
  +    Port 9

What to do:
  1. Run \`nc -vz 10.0.0.7 9\` on web-01.
  2. If it is refused, run \`nc -vz 10.0.0.7 443\`, with the port that stood there before release 44.
  3. If that answers, put back what was before release 44. The cause closes by itself when its agents run another configuration without it.
`);
  expect(withoutIDs(stderr)).toContain(
    'To see what the configuration it came back with changed, run: muster agent diff web-01 --to ########',
  );
});

it('needs no more than the permission to read errors', async () => {
  const { token } = await cli.app.createToken(fleet.project.id, ['read:agent_error']);
  const env = { MUSTER_URL: cli.url, MUSTER_TOKEN: token };
  expect(await firstConfigOf('dumy', env)).toBe(`${'#'.repeat(36)}, first on edge-1`);
});
