import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { ProfileStore } from '../../cli/src/profiles/profile-store.ts';
import { it, type ReportBench, texts } from './report-process.ts';

const agent = ['--', 'sh', '-c', 'echo started; echo "error: a" >&2; exit 4'];
const nothingGiven = { MUSTER_URL: '', MUSTER_TOKEN: '' };

async function signIn(bench: ReportBench, token: string, name = 'default'): Promise<void> {
  const profiles = new ProfileStore({ env: {}, homeDirectory: bench.folder });
  const profile = { name, url: bench.gate.url, project: undefined };
  await profiles.write(profile);
  await profiles.writeToken(profile, token);
}

async function run(bench: ReportBench, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return texts(await bench.run(args, { env: { ...nothingGiven, ...env } }));
}

/** Everything that the wrapper has left on disk. */
function keptState(bench: ReportBench): string {
  if (!existsSync(bench.stateDirectory)) return '';
  return readdirSync(bench.stateDirectory)
    .map((name) => readFileSync(join(bench.stateDirectory, name), 'utf8'))
    .join('\n');
}

describe.concurrent('muster report, signed in', () => {
  it('reports to the server of the profile, with its project token', async ({ bench }) => {
    await signIn(bench, bench.project.token);
    expect(await run(bench, agent)).toEqual({
      code: 4,
      signal: null,
      stdout: 'started\n',
      stderr: 'error: a\n',
    });
    expect(await bench.openErrors()).toEqual([['error: a', 1]]);
    expect(keptState(bench)).toContain('"agentToken"');
    expect(keptState(bench)).not.toContain(bench.project.token);
  });

  it('reports errors in stdin there too', async ({ bench }) => {
    await signIn(bench, bench.project.token, 'edge');
    const options = { env: nothingGiven, input: 'error: b\n' };
    expect(texts(await bench.run(['--profile', 'edge', '-'], options))).toMatchObject({
      code: 0,
      stderr: '',
    });
    expect(await bench.openErrors()).toEqual([['error: b', 1]]);
  });

  it('neither sends nor stores the token of a person, does not affect the agent, and says which command to run', async ({
    bench,
  }) => {
    await signIn(bench, bench.test.admin);
    const { stderr, ...ended } = await run(bench, agent);
    expect(ended).toEqual({ code: 4, signal: null, stdout: 'started\n' });
    expect(stderr.split('\n')).toEqual([
      'error: a',
      "muster: nothing is reported: the profile 'default' holds the access token of a person, but registering an agent takes a project token.",
      expect.stringMatching(
        /^muster: To make one, run: \(umask 077; .*muster(\.mjs'?)? token create agents --preset agent --profile default --quiet > agent-token\)$/,
      ),
      'muster: Then add to this command: --token-file agent-token',
      'muster: 1 error was not sent, and could not be kept.',
      '',
    ]);
    expect(bench.gate.requests).toEqual([]);
    expect(keptState(bench)).toBe('');
  });

  it('sends the token of the environment to the server of the profile', async ({ bench }) => {
    await signIn(bench, bench.test.admin);
    const env = { MUSTER_TOKEN: bench.project.token };
    expect(await run(bench, agent, env)).toMatchObject({ code: 4, stderr: 'error: a\n' });
    expect(await bench.openErrors()).toEqual([['error: a', 1]]);
  });

  it('runs the agent even if the profile does not exist, and says so', async ({ bench }) => {
    const { code, stdout, stderr } = await run(bench, ['--profile', 'edge', ...agent]);
    expect([code, stdout]).toEqual([4, 'started\n']);
    expect(stderr.split('\n')).toEqual([
      'error: a',
      "muster: nothing is reported: There is no profile 'edge'. There is none yet.",
      expect.stringMatching(/^muster: To make it, run: .*muster(\.mjs'?)? login --profile edge --url URL$/),
      'muster: 1 error was not sent, and could not be kept.',
      '',
    ]);
  });

  it('escapes characters that a terminal would interpret', async ({ bench }) => {
    const { stderr } = await run(bench, agent, { MUSTER_PROFILE: 'a\x1b[31m\nb' });
    expect(stderr).toContain("muster: nothing is reported: 'a\\x1b[31m\\nb' cannot be the name of a profile");
  });

  it.for([
    [['--profile', '../x'], /^muster: --profile: '..\/x' cannot be the name of a profile: .*\n$/],
    [
      ['--profile', 'x', '--url', 'http://127.0.0.1:1'],
      /'--url <url>' cannot be used with.*'--profile <name>'/,
    ],
  ] as const)('does not run the agent with wrong flags: %j', async ([flags, message], { bench }) => {
    expect(await run(bench, [...flags, ...agent])).toEqual({
      code: 2,
      signal: null,
      stdout: '',
      stderr: expect.stringMatching(message),
    });
  });
});
