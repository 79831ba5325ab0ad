import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FleetWithCauses } from '../testing/fleet-with-causes.ts';
import { type CliTest, startCliTest } from '../testing/start-cli-test.ts';

let cli: CliTest;
let fleet: FleetWithCauses;

beforeAll(async () => {
  cli = await startCliTest();
  fleet = await FleetWithCauses.create(cli);
});
afterAll(() => cli.close());

const run = (args: readonly string[], columns?: number, stdin = '') =>
  cli.runAsAdmin([...args, '--project', 'edge'], { stdin, ...(columns === undefined ? {} : { columns }) });

const green = (text: string) => `\u001b[32m${text}\u001b[39m`;
const red = (text: string) => `\u001b[31m${text}\u001b[39m`;
const yellow = (text: string) => `\u001b[33m${text}\u001b[39m`;
const faint = (text: string) => `\u001b[2m${text}\u001b[22m`;

/** The lines after the head, and a check that a pipe gets the same words without colour. */
async function rows(...args: string[]): Promise<string[]> {
  const [coloured, piped] = [await run(args, 120), await run(args)];
  expect(piped.stdout).not.toContain('\u001b');
  return coloured.stdout.trimEnd().split('\n').slice(1);
}

describe('the colour of a state', () => {
  it('of an agent is green for healthy, red for unhealthy, yellow for offline, grey for stopped', async () => {
    const heartbeat = (machine: string, body: object) =>
      cli.app.request('POST', `/v1/machines/${machine}/heartbeat`, {
        as: { project: fleet.project.token },
        body,
      });
    for (const name of ['well', 'silent', 'ended']) await run(['agent', 'register', name, '--machine', name]);
    await heartbeat('silent', { heartbeatSeconds: 30 });
    await heartbeat('silent', { heartbeatSeconds: 30 });
    await heartbeat('ended', { status: 'stopped', exitCode: 0 });
    cli.app.clock.advance(3_600_000);
    const [ended, silent, well, ill] = await rows('agent', 'list', '--last', '4');
    expect(ended).toContain(`  ${faint('stopped')}  `);
    expect(silent).toContain(`  ${yellow('offline')}  `);
    expect(well).toContain(`  ${green('healthy')}  `);
    expect(ill).toContain(`  ${red('unhealthy')}  `);
    expect((await run(['agent', 'get', 'well'], 80)).stdout).toContain(
      `\nstatus       ${green('healthy')}\n`,
    );
  });

  it('of an error is red for open, yellow for superseded, grey for dismissed', async () => {
    await run(['agent', 'update', 'edge-3', '--config', '-'], undefined, '# new\n');
    const [id = ''] = await fleet.errorIDs('connect');
    await run(['error', 'dismiss', id, '--reason', 'x']);
    const [dismissed, open, superseded] = await rows('error', 'list', '--status', 'all');
    expect(dismissed).toContain(`  edge-5  ${faint('dismissed')}  `);
    expect(open).toContain(`  edge-4  ${red('open')} `);
    expect(superseded).toContain(`  edge-3  ${yellow('superseded')}  `);
    expect((await rows('error', 'list', '--status', 'open'))[1]).toContain(`  ${yellow('superseded')}  `);
    const ofBefore = await rows('error', 'list', '--status', 'superseded');
    expect(ofBefore).toEqual([expect.stringMatching(/^\w{8} {2}edge-3 {6}1 /)]);
    expect((await rows('error', 'list')).map((line) => line.slice(10, 16))).toEqual([
      ...['edge-4', 'edge-2', 'edge-2', 'edge-1', 'edge-1'],
    ]);
    expect((await run(['error', 'get', id], 80)).stdout).toContain(`\nstate       ${faint('dismissed')}\n`);
  });

  it('of a dismissal is green for done, grey for undone', async () => {
    const { stdout } = await run([
      'error',
      'dismiss',
      '--match',
      'dumy',
      '--reason',
      'x',
      '--yes',
      '--quiet',
    ]);
    expect(await rows('dismissal', 'list')).toEqual([expect.stringContaining(`  ${green('done')}  `)]);
    await run(['dismissal', 'undo', stdout.trim()]);
    expect(await rows('dismissal', 'list')).toEqual([expect.stringContaining(`  ${faint('undone')} `)]);
    expect((await run(['dismissal', 'get', stdout.trim()], 80)).stdout).toContain(
      `\nstate           ${faint('undone')}\n`,
    );
  });

  it('of a token is green for active, yellow for expiring, grey for revoked', async () => {
    for (const name of ['gone', 'soon', 'lasting'])
      await run(['token', 'create', name, '--expires', name === 'soon' ? '2d' : '90d']);
    await run(['token', 'revoke', 'gone', '--yes']);
    const [lasting, soon, gone] = await rows('token', 'list', '--status', 'all');
    expect(lasting).toContain(`  ${green('active')} `);
    expect(soon).toContain(`  ${yellow('expiring')}  `);
    expect(gone).toContain(`  ${faint('revoked')} `);
  });
});
