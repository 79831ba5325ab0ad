import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { siteBatchCalls } from '../../../../server/src/testing/calls/site-calls.ts';
import type { TestProject } from '../../../../server/src/testing/start-test-app.ts';
import { type CliTest, startCliTest } from '../../testing/start-cli-test.ts';

let cli: CliTest;
let project: TestProject;

beforeAll(async () => {
  cli = await startCliTest();
  project = await cli.app.createProject('plants');
});
afterAll(() => cli.close());

const run = (...args: string[]) =>
  cli.runAsAdmin(['core-instance', ...args], { env: { MUSTER_PROJECT: 'plants' } });

interface Created {
  readonly coreInstance: { readonly id: string; readonly token: string };
  readonly joinToken: { readonly id: string; readonly token: string } | null;
}

async function create(...args: string[]): Promise<Created> {
  const { stdout } = await run('create', ...args, '--json');
  return JSON.parse(stdout) as Created; // the tests say what it has
}

/** Lets the core instance join, as its site does. */
async function join(name: string, token: string): Promise<{ id: string; token: string }> {
  const { body } = await cli.app.request('POST', '/v1/core_instances', {
    as: { project: token },
    body: { name, version: '0.1.0', instanceKey: 'k'.repeat(24) + name.padEnd(20, '0') },
  });
  return body as { id: string; token: string }; // the tests fail otherwise
}

describe('muster core-instance create', () => {
  it('creates it, with a token that may only join, and prints what to do next', async () => {
    const { exitCode, stdout, stderr } = await run('create', 'plant 1', '--tag', 'eu', '--tag', 'west');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /^id {10}\S{36}\nname {8}plant 1\nstatus {6}waiting\ntags {8}eu west\njoins with {2}\S+\.mst_p_\w+\nexpires {5}2026-03-02T11:20:30\.456Z\n$/,
    );
    expect(stderr).toBe(`The token is shown once and expires in an hour: join until then.

Recommended, on a Linux host with systemd, as root, after the Debian package of Muster is installed:
  muster core-instance install --url ${cli.url} --name 'plant 1'
It asks for the token above.

If the host runs only containers, with the image muster (to build it: docker build -f deploy/Dockerfile -t muster .), and with the token above in the file /etc/muster/core-instance.token, readable by the user 1000 alone:
  docker run --detach --name muster-core-instance --restart unless-stopped \\
    -p 7410:7410 -e PORT=7410 -v muster-core-instance:/data -v /etc/muster/core-instance.token:/run/secrets/token:ro \\
    muster core-instance start --url ${cli.url} --name 'plant 1' --token-file /run/secrets/token \\
    --state-directory /data --listen 0.0.0.0:7410

If the agents run in Kubernetes, in a checkout of Muster, with the token above in the file plant-1.token, and with the image in your registry in the place of REGISTRY and TAG:
  kubectl create secret generic plant-1 --from-file=token=plant-1.token
  helm install plant-1 deploy/helm/muster-core-instance --set url=${cli.url} \\
    --set-string name='plant 1' --set token.secretName=plant-1 \\
    --set image.repository=REGISTRY/muster --set-string image.tag=TAG

Then agents report to port 7410 of that host with the tokens that they have. To see it join, run: muster core-instance get 'plant 1'
${new URL(cli.url).host} is an address of this machine alone. For other machines, let the service listen on the network (HOST=0.0.0.0) and know its address (MUSTER_PUBLIC_URL).
Then sign in at that address, so that commands print it. Run: muster login --url URL
`);
  });

  it('makes a token with which the site joins as this core instance, and which can do nothing else', async () => {
    const { coreInstance, joinToken } = await create('plant-2');
    expect(coreInstance.token).toMatch(/^mst_c_…\w{4}$/);
    expect(joinToken).toMatchObject({
      name: 'join plant-2',
      permissions: ['create:core_instance'],
      expiresAt: '2026-03-02T11:20:30.456Z',
    });
    const env = { MUSTER_URL: cli.url, MUSTER_TOKEN: joinToken?.token ?? '' };
    expect((await cli.run(['agent', 'list'], { env })).exitCode).toBe(4);
    expect((await cli.run(['core-instance', 'get', coreInstance.id], { env })).exitCode).toBe(4);
    expect((await join('plant-2', joinToken?.token ?? '')).id).toBe(coreInstance.id);
  });

  it('prints only the token with --quiet', async () => {
    const { exitCode, stdout, stderr } = await run('create', 'plant-3', '--quiet');
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^\S+\.mst_p_\w+\n$/);
  });

  it('leaves no token behind if the name is taken', async () => {
    await create('plant-4');
    const { exitCode, stderr } = await run('create', 'plant-4');
    expect(exitCode).toBe(1);
    expect(stderr).toContain("is called 'plant-4'");
    const { stdout } = await cli.runAsAdmin([
      'token',
      'list',
      '--name',
      'join plant-4',
      '--quiet',
      '--project',
      'plants',
    ]);
    expect(stdout.trim().split('\n')).toHaveLength(1);
  });

  it('makes no token if a project token runs it', async () => {
    const { token } = await cli.app.createToken(project.id, ['create:core_instance']);
    const env = { MUSTER_URL: cli.url, MUSTER_TOKEN: token };
    const result = await cli.run(['core_instance', 'create', 'plant-5'], { env });
    expect(result.exitCode).toBe(0);
    expect(result.stdout).toMatch(/\njoins with {2}the project token of this command\n$/);
    expect(result.stdout + result.stderr).not.toContain(token);
    expect(result.stderr).toContain('\nIt asks for the project token of this command.\n');
  });

  it('is refused to the token of an agent', async () => {
    const env = { MUSTER_URL: cli.url, MUSTER_TOKEN: project.token };
    expect((await cli.run(['core-instance', 'create', 'plant-6'], { env })).exitCode).toBe(4);
  });
});

describe('muster core-instance list, get, rotate and delete', () => {
  it('shows the state of a site', async () => {
    const { coreInstance, joinToken } = await create('store-1', '--tag', 'south');
    expect((await run('list', '--tag', 'south', '--quiet')).stdout).toBe(`${coreInstance.id}\n`);
    expect((await run('list', '--name', 'store-1')).stdout).toContain('waiting');
    const { token } = await join('store-1', joinToken?.token ?? '');
    const now = cli.app.clock.now();
    const status = {
      version: '0.1.0',
      startedAt: now - 5_000,
      spooledCount: 1_200,
      spooledBytes: 4_096,
      oldestSpooledAt: now - 7_200_000,
      lostCount: 7,
      lastLossAt: now - 60_000,
      sentAt: now,
    };
    const agent = await cli.app.registerAgent(project, 'edge-1');
    const heartbeat = { kind: 'heartbeat', at: now, agentID: agent.id, by: { agentID: agent.id } };
    await cli.app.request('POST', '/v1/core_instances/self/batches', {
      as: { core_instance: token },
      body: { protocol: 1, sequence: 1, status, items: [heartbeat, { kind: 'nonsense' }] },
    });
    const { stdout } = await run('get', 'store-1');
    expect(stdout.split('\n')).toEqual(
      expect.arrayContaining([
        'status         running',
        'version        0.1.0',
        'waiting there  1,200 (4,096 bytes)',
        'lag            2 h',
        'lost           7',
        'refused        1',
        'last refusal   2026-03-02T10:20:30.456Z: Invalid body',
        'tags           south',
      ]),
    );
    expect((await run('list', '--status', 'running')).stdout).toMatch(/store-1 +running +2 h +1 +7 /);
  });

  it('is named by the agents behind it', async () => {
    const { joinToken } = await create('store-9');
    const { id, token } = await join('store-9', joinToken?.token ?? '');
    const agent = await cli.app.registerAgent(project, 'edge-9');
    const now = cli.app.clock.now();
    const status = { version: '0.1.0', startedAt: now, spooledCount: 1, spooledBytes: 1 };
    await cli.app.request('POST', '/v1/core_instances/self/batches', {
      as: { core_instance: token },
      body: {
        protocol: 1,
        sequence: 1,
        status: { ...status, oldestSpooledAt: now, lostCount: 0, lastLossAt: null, sentAt: now },
        items: [{ kind: 'heartbeat', at: now, agentID: agent.id, by: { agentID: agent.id } }],
      },
    });
    const get = async () => (await cli.runAsAdmin(['agent', 'get', agent.id])).stdout;
    expect(await get()).toMatch(/^site +store-9$/m);
    // Its agents stay.
    await run('delete', 'store-9', '--yes');
    expect(await get()).toMatch(new RegExp(`^site +${id}$`, 'm'));
  });

  it('says what to do where there are none', async () => {
    const { stdout, stderr } = await run('list', '--name', 'nothing-*');
    expect([stdout, stderr]).toEqual([
      '',
      "No core instances match --name 'nothing-*'. Leave out that filter to see more.\n",
    ]);
  });

  it('lets it rotate its token, and ends the old one at once if told so', async () => {
    const { coreInstance, joinToken } = await create('store-2');
    const { token } = await join('store-2', joinToken?.token ?? '');
    const me = async () => (await cli.app.request('GET', '/v1/me', { as: { core_instance: token } })).status;
    const rotated = await run('rotate', 'store-2', '--quiet');
    expect([rotated.stdout, rotated.stderr, await me()]).toEqual([
      `${coreInstance.id}\n`,
      "'store-2' gets itself a new token when it is next heard.\n",
      200,
    ]);
    const ended = await run('rotate', 'store-2', '--grace', '0s', '--quiet');
    expect([ended.stdout, ended.stderr, await me()]).toEqual([
      `${coreInstance.id}\n`,
      "The token has ended. 'store-2' keeps what agents send, and joins again when it is given a project token.\n",
      401,
    ]);
  });

  it('deletes it by its name, and by a name that is not there says which is near', async () => {
    await create('store-3');
    const wrong = await run('delete', 'store-33', '--yes');
    expect([wrong.exitCode, wrong.stderr]).toEqual([
      5,
      `muster: There is no core instance 'store-33' in the project ${project.id}.\n  Did you mean 'store-3'?\n`,
    ]);
    const { exitCode, stderr } = await run('delete', 'store-3', '--yes');
    expect([exitCode, stderr]).toEqual([0, "Deleted the core instance 'store-3'.\n"]);
    expect((await run('get', 'store-3')).exitCode).toBe(5);
  });
});

describe('muster core-instance start', () => {
  const pin = 'sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=';
  const start = (url: string, flags: readonly string[], env: Record<string, string> = {}) =>
    cli.run(['core-instance', 'start', '--url', url, '--state-directory', '/nowhere', ...flags], { env });

  it.each<[string, readonly string[], Record<string, string>, string]>([
    ['one without its kind', ['--pin', pin.slice(8)], {}, `--pin has '${pin.slice(8)}'`],
    [
      'a second one that is too short',
      ['--pin', pin, '--pin', 'sha256//YQ=='],
      {},
      `--pin has 'sha256//YQ=='`,
    ],
    ['no text', ['--pin', ''], {}, `--pin has ''`],
    // It decodes to the same bytes, but is never printed for them.
    ['one with bits that mean nothing', ['--pin', pin.replace('U=', 'V=')], {}, '--pin has'],
    ['one of the environment', [], { MUSTER_PIN: `${pin};md5//x` }, `MUSTER_PIN has 'md5//x'`],
  ])('refuses a pin of another form: %s', async (_, flags, env, message) => {
    const { exitCode, stdout, stderr } = await start('https://muster.example.com', flags, env);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`muster: ${message}`);
    expect(stderr).toContain('it takes sha256// and the SHA-256 of a public key in Base64, such as');
  });

  it('refuses a pin where there is no certificate', async () => {
    expect(await start('http://127.0.0.1:1', ['--pin', pin])).toEqual({
      exitCode: 2,
      stdout: '',
      stderr:
        'muster: --pin pins the key of a certificate, but http://127.0.0.1:1 has none: use the address that begins with https://.\n',
    });
  });
});

describe('muster error groups --core-instance', () => {
  it('lists the causes of the agents behind it, named or by its id', async () => {
    const { app } = cli;
    const { body: token } = await app.request<{ id: string }>('GET', '/v1/project_tokens/self', {
      as: { project: project.token },
    });
    const { id: direct } = await app.registerAgent(project);
    await app.request('POST', `/v1/agents/${direct}/errors`, {
      as: { project: project.token },
      body: { error: 'a fault elsewhere' },
    });
    const site = await app.createCoreInstance(project, { name: 'plant-7' });
    const batches = siteBatchCalls(() => ({ app, site, tokenID: token.id }));
    const { item, agentID } = batches.registration('behind-plant-7');
    await batches.pass(item, batches.errors(agentID, batches.error('a fault of the plant')));
    const groups = (...args: string[]) => cli.runAsAdmin(['error', 'groups', '--project', 'plants', ...args]);
    for (const named of ['plant-7', site.id.toUpperCase()]) {
      const { stdout } = await groups('--core-instance', named, '--json');
      expect(JSON.parse(stdout)).toMatchObject([{ pattern: 'a fault of the plant', agentsShare: 1 }]);
    }
    expect(await groups('--core-instance', 'plant-7', '--match', 'elsewhere')).toEqual({
      exitCode: 0,
      stdout: '',
      stderr:
        'No groups match --match elsewhere --core-instance plant-7. Leave out one of these filters to see more.\n',
    });
    const unknown = await groups('--core-instance', 'plant-8');
    expect(unknown.exitCode).toBe(5);
    expect(unknown.stderr).toContain("There is no core instance 'plant-8'");
  });
});
