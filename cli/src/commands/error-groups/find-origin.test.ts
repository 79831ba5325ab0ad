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
