import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { callAgentErrors } from '../../server/src/testing/calls/agent-error-calls.ts';
import { startListeningApp } from '../robustness/listening-app.ts';
import { eventually, it, ReportBench, texts } from './report-process.ts';

const agent = ['--', 'sh', '-c', 'echo "error: a" >&2; exit 4'];

async function messages(
  bench: ReportBench,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
) {
  const { code, stderr } = texts(await bench.run(args, { env }));
  expect(code).toBe(4);
  expect(stderr.startsWith('error: a\n')).toBe(true);
  return stderr.split('\n').slice(1, -1);
}

describe.concurrent('muster report, refused', () => {
  it('says once what to correct, and does not affect the agent', async ({ bench }) => {
    const kept = `muster: 1 error was not sent yet; kept in ${bench.stateDirectory} for the next run.`;
    expect(await messages(bench, agent, { MUSTER_TOKEN: 'wrong' })).toEqual([
      'muster: Muster refuses the reports: The token is mistyped, cut off or unknown to this installation. Copy it again or create another one. Give a valid project token in MUSTER_TOKEN or --token-file; a file is read again every 5 minutes.',
      kept,
    ]);
    const { token } = await bench.test.createToken(bench.project.id, ['read:agent']);
    expect(await messages(bench, agent, { MUSTER_TOKEN: token })).toEqual([
      expect.stringMatching(
        /^muster: Muster refuses the reports: .*create:agent.* Give a project token with create:agent and create:agent_error\.$/,
      ),
      kept,
    ]);
    expect(await messages(bench, agent, { MUSTER_URL: `${bench.gate.url}/nowhere` })).toEqual([
      'muster: Muster refuses the reports: There is no POST /nowhere/v1/agents. See /docs for every route. Check that --url (MUSTER_URL) is the address of Muster.',
      // Also that of the run before: it is kept by project, whatever the address.
      kept.replace('1 error was', '2 errors were'),
    ]);
    expect(await messages(bench, ['--machine-id', 'x'.repeat(300), ...agent])).toEqual([
      expect.stringMatching(
        /^muster: Muster refuses the reports: .* Correct what the message names, such as --name or --machine-id\.$/,
      ),
      kept,
    ]);
  });

  it('says what is missing', async ({ bench }) => {
    const lost = 'muster: 1 error was not sent, and could not be kept.';
    expect(await messages(bench, agent, { MUSTER_TOKEN: '' })).toEqual([
      `muster: nothing is reported: there is no project token for ${bench.gate.url}: neither in --token-file nor in MUSTER_TOKEN.`,
      expect.stringMatching(
        /^muster: To make one, run: \(umask 077; .*muster(\.mjs'?)? token create agents --preset agent --quiet > agent-token\)$/,
      ),
      'muster: Then add to this command: --token-file agent-token',
      lost,
    ]);
    expect(await messages(bench, agent, { MUSTER_URL: '' })).toEqual([
      'muster: nothing is reported: no server is named: neither by --url, nor by MUSTER_URL, nor by a profile.',
      expect.stringMatching(
        /^muster: Give --url, or make a profile\. Run: .*muster(\.mjs'?)? login --url URL$/,
      ),
      lost,
    ]);
    expect(await messages(bench, ['--token-file', 'none', ...agent])).toEqual([
      expect.stringMatching(
        /^muster: no token to report with: --token-file none cannot be read: ENOENT.*\. It is tried again every 30 s\.$/,
      ),
      lost,
    ]);
    expect(await messages(bench, ['--config-file', 'none', ...agent])).toEqual([
      expect.stringMatching(/^muster: the configuration is not sent: none: ENOENT/),
    ]);
  });

  it('ends with the agent when the token is in a pipe that nobody writes to', async ({ bench }) => {
    execFileSync('mkfifo', [join(bench.folder, 'token')]);
    expect(await messages(bench, ['--token-file', 'token', ...agent], { MUSTER_TOKEN: '' })).toEqual([
      'muster: no token to report with: --token-file token is a pipe or a device, and no line with a token has come from it within 5 s. It is tried again every 30 s.',
      'muster: 1 error was not sent, and could not be kept.',
    ]);
  });

  it('takes the token from a file', async ({ bench }) => {
    writeFileSync(join(bench.folder, 'token'), `${bench.project.token}\n`);
    expect(await messages(bench, ['--token-file', 'token', ...agent], { MUSTER_TOKEN: '' })).toEqual([]);
    expect(await bench.openErrors()).toEqual([['error: a', 1]]);
  });

  it('registers again if its own token is no longer known', async ({ bench }) => {
    await bench.run(agent);
    const [name = ''] = readdirSync(bench.stateDirectory);
    const path = join(bench.stateDirectory, name);
    const record = JSON.parse(readFileSync(path, 'utf8'));
    writeFileSync(path, JSON.stringify({ ...record, agentToken: 'mst_a_wrong' }));
    expect(await messages(bench, agent)).toEqual([]);
    expect(await bench.openErrors()).toEqual([['error: a', 2]]);
    writeFileSync(path, '{"agentID":');
    expect(await messages(bench, agent)).toEqual([]);
    expect(await bench.openErrors()).toEqual([['error: a', 3]]);
  });

  it('does not register a deleted agent before the next start', async ({ bench }) => {
    await bench.run(agent);
    const [registered] = await bench.agents();
    await callAgentErrors(bench.test).deleteAgent(registered?.id ?? '');
    expect(await messages(bench, agent)).toEqual([
      expect.stringMatching(
        /^muster: Muster refuses the reports: .* This run sends nothing more; the next start registers the agent again\.$/,
      ),
      `muster: 1 error was not sent yet; kept in ${bench.stateDirectory} for the next run.`,
    ]);
    expect(await bench.agents()).toEqual([]);
    expect(await messages(bench, agent)).toEqual([]);
    expect(await bench.agents()).toHaveLength(1);
    expect(await bench.openErrors()).toEqual([['error: a', 2]]);
  });

  it('waits as long as the service asks, and keeps the remaining errors', async () => {
    const app = await startListeningApp({ config: { newErrorsPerAgentPerMinute: 1 } });
    const bench = await ReportBench.on(app);
    try {
      // Written at once, so that they are sent in one request.
      const script = String.raw`printf 'error: a\nerror: b\n' >&2; exec sleep 60`;
      const report = bench.start(['--', 'sh', '-c', script]);
      await eventually(
        () => bench.gate.answers,
        (answers) => answers.some((answer) => answer.endsWith('/errors')),
      );
      report.process.kill('SIGTERM');
      const { stderr } = texts(await report.ended);
      expect(stderr).toMatch(/muster: Muster asks to wait: This agent had 1 new errors within a minute/);
      expect(bench.gate.requests.filter((request) => request.endsWith('/errors'))).toHaveLength(1);
    } finally {
      bench.close();
      await app.test.close();
    }
  });

  it('reports even if errors cannot be stored', async ({ bench }) => {
    mkdirSync(join(bench.folder, 'state'));
    writeFileSync(join(bench.folder, 'state', 'file'), '');
    const stateDirectory = join(bench.folder, 'state', 'file', 'in-the-way');
    expect(await messages(bench, ['--state-dir', stateDirectory, ...agent])).toEqual([
      `muster: cannot keep errors in ${stateDirectory}: ENOTDIR: not a directory, mkdir '${stateDirectory}'. Errors are lost while Muster is away. Choose another directory with --state-dir.`,
    ]);
    expect(await bench.openErrors()).toEqual([['error: a', 1]]);
  });

  it('counts dropped errors of an agent that writes too fast, and passes all output on', async () => {
    const app = await startListeningApp({ config: { maxOpenErrorsPerAgent: 0 } });
    const bench = await ReportBench.on(app);
    try {
      const lines = Array.from(
        { length: 20_000 },
        (_, index) =>
          `error: ${[...String(index)].map((digit) => 'abcdefghij'.charAt(Number(digit))).join('')}\n`,
      );
      writeFileSync(join(bench.folder, 'flood'), lines.join(''));
      const { stdout, stderr } = texts(await bench.run(['--', 'cat', 'flood']));
      expect(stdout).toBe(lines.join(''));
      const [, dropped = 0] = /^muster: (\d+) errors were dropped: .*\n$/.exec(stderr) ?? [];
      const [agent] = await bench.agents();
      const pages = await callAgentErrors(app.test).walk(`/v1/agents/${agent?.id}/errors?last=1000`);
      const found = pages.flat().map(({ error }) => error);
      // How many are sent depends on the machine. Its own sentences, one for each power of ten, can be dropped as well.
      const atLeast = 10 ** Math.floor(Math.log10(Number(dropped)));
      expect(found).toContain(
        `[muster report] ${atLeast} or more errors were dropped: more came than could be read, kept or sent.`,
      );
      const ownSentences = found.length + Number(dropped) - lines.length;
      expect(ownSentences).toBeGreaterThanOrEqual(1);
      expect(ownSentences).toBeLessThanOrEqual(5);
    } finally {
      bench.close();
      await app.test.close();
    }
  });
});
