import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunOptions, runIn } from '../../testing/start-cli-test.ts';

let home = '';

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'muster-home-'));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** Runs without a server, a profile or a credential. */
const explain = (args: readonly string[], options: RunOptions = {}) =>
  runIn(home, ['error', 'explain', ...args], options, () => 0);

const known =
  "[2026/11/22 10:00:00] [error] [config] section 'dumy' tried to instance a plugin name that doesn't exist";

const explained = `Unknown plugin (fluent-bit/unknown-plugin)

The configuration names a plugin that this Fluent Bit does not have, so it does not start.
Did you mean 'dummy'?

Why:
  - The name has a typing error.
  - The plugin is not part of this build, or it belongs to another kind: an output is named as an input.

What to do:
  1. Run \`fluent-bit --help\` to list the plugins of this build.
  2. Correct the \`name\` of the section.

More: https://docs.fluentbit.io/manual/administration/configuring-fluent-bit
`;

const advice =
  '  Read the lines of the log before it: they often name the reason. Then search the documentation and the issues of the agent for the fixed part of the message.\n';

describe('muster error explain', () => {
  it('explains a known error without a server', async () => {
    expect(await explain([known])).toEqual({ exitCode: 0, stdout: explained, stderr: '' });
  });

  it('fills the address of the error into its commands', async () => {
    const { stdout } = await explain([
      '[output:http:http.0] no upstream connections available to 10.21.160.1:9',
    ]);
    expect(stdout).toContain('\n  1. Run `curl -v https://10.21.160.1:9` from the machine');
    expect((await explain(['no upstream connections available'])).stdout).toContain(
      '\n  1. Run `curl -v https://HOST:PORT` from the machine',
    );
  });

  it('prints a list with --json, and ids with --quiet', async () => {
    const { stdout } = await explain([known, '--json']);
    expect(JSON.parse(stdout)).toEqual([
      expect.objectContaining({ id: 'fluent-bit/unknown-plugin', suggestion: 'dummy' }),
    ]);
    expect(await explain([known, '--quiet'])).toEqual({
      exitCode: 0,
      stdout: 'fluent-bit/unknown-plugin\n',
      stderr: '',
    });
  });

  it('says that an error is unknown, and what to do', async () => {
    expect(await explain(['the sky is falling'])).toEqual({
      exitCode: 5,
      stdout: '',
      stderr: `muster: This error is not known.\n${advice}`,
    });
    expect(await explain(['the sky is falling', '--json'])).toEqual({
      exitCode: 5,
      stdout: '[]\n',
      stderr: `muster: This error is not known.\n${advice}`,
    });
  });

  it('explains each known error of a log once with -', async () => {
    const log = [
      known,
      'no error',
      '[error] [output:es:es.0] error: Output',
      known,
      '[lib] backend failed',
      '',
    ];
    expect(await explain(['-', '--quiet'], { stdin: log.join('\n') })).toEqual({
      exitCode: 0,
      stdout: 'fluent-bit/unknown-plugin\nfluent-bit/es-errors\nfluent-bit/backend-failed\n',
      stderr: '',
    });
    expect((await explain(['-'], { stdin: `${known}\n${known}\n` })).stdout).toBe(explained);
    expect(await explain(['-'], { stdin: 'nothing\nhere' })).toEqual({
      exitCode: 5,
      stdout: '',
      stderr: `muster: None of these lines is a known error.\n${advice}`,
    });
  });

  it('uses the catalogue of a type of agent, and lists the types', async () => {
    expect((await explain([known, '--type', 'vector'])).exitCode).toBe(5);
    expect((await explain([known, '--type', 'fluentbit'])).exitCode).toBe(0);
    expect(await explain([known, '--type', 'fluent'])).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: "muster: There is no catalogue for 'fluent': use fluentbit, otelcol, vector.\n",
    });
  });

  it('needs a text', async () => {
    const { exitCode, stderr } = await explain([]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("missing required argument 'text|-'")]);
  });

  it('has lines that fit the terminal, and a title in bold', async () => {
    const text = 'no upstream connections available';
    const { stdout } = await explain([text], { columns: 50 });
    const lines = stdout.split('\n');
    expect(lines[0]).toBe('\u001b[1mDestination not reachable\u001b[22m (fluent-bit/no-upstream)');
    expect(lines.slice(1).filter((line) => line.length > 50 && !line.startsWith('More: '))).toEqual([]);
    expect(stdout).toContain('  - A firewall or network policy blocks the\n    connection.\n');
    const piped = await explain([text]);
    expect(piped.stdout).toContain('  - A firewall or network policy blocks the connection.\n');
  });
});
