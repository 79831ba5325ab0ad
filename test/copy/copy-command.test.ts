import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  copyPartly,
  createTarget,
  expectSame,
  makeDirectory,
  makeInstallation,
  rowCounts,
  type TargetPlace,
} from './copy-places.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const source = makeDirectory();
const from = `sqlite:${source.dataDirectory}`;
const targets: TargetPlace[] = [];

beforeAll(async () => {
  await makeInstallation(source, 1);
});

afterAll(async () => {
  for (const target of targets) await target.drop();
  source.remove();
});

async function newTarget(): Promise<TargetPlace> {
  const target = await createTarget();
  targets.push(target);
  return target;
}

/** Runs the command from source, with no setting in its environment but these. */
async function muster(args: readonly string[], env: Record<string, string> = {}) {
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, ['--import', 'tsx', 'cli/src/muster.ts', ...args], {
    cwd: root,
    env: { PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const [stdout, stderr, status] = await Promise.all([text(child.stdout), text(child.stderr), exit]);
  return { status, stdout, stderr };
}

describe('muster copy', () => {
  it('copies, tells of it as it goes, and ends with a table and what to do next', async () => {
    const target = await newTarget();
    const { status, stdout, stderr } = await muster(['copy', '--from', from, '--to', target.url]);
    expect(stderr).toMatch(
      /^Copying the installation in \S+\. Stopping it is safe: .*\ncopying users: 0 of 1 rows\n/,
    );
    const counts = rowCounts(source);
    const total = { table: 'total', rows: counts.reduce((sum, { rows }) => sum + rows, 0) };
    expect(stdout.replaceAll(/ +/g, ' ').replaceAll(/ \d+\.\d$/gm, ' 0.0')).toBe(
      [
        'Done: every row is copied, and both sides were found the same.',
        '',
        ' table rows seconds',
        ...[...counts, total].map(({ table, rows }) => ` ${table} ${rows.toLocaleString('en-US')} 0.0`),
        '',
        `Next: set DATABASE_URL to the new database and start Muster. All tokens stay valid, also the one in ${source.dataDirectory}/admin-token.`,
        `Keep ${source.dataDirectory} until you are satisfied. It was only read, and what happens from now on is not in it.`,
        '',
      ].join('\n'),
    );
    expect(stdout).toMatch(/^ {2}users +1 +\d/m);
    expect(stdout).toMatch(/^ {2}agent_errors +1,000 +\d/m);
    const widths = stdout.match(/^ {2}.+$/gm)?.map((line) => line.length);
    expect(new Set(widths).size).toBe(1);
    expect(status).toBe(0);
    await expectSame(source, target);
  });

  it('goes on with an unfinished copy, takes its target from the environment and can be quiet', async () => {
    const target = await newTarget();
    await copyPartly(source, target, 12);
    const asUrl = `sqlite://${source.dataDirectory}`;
    const result = await muster(['copy', '--from', asUrl, '--quiet'], { DATABASE_URL: target.url });
    expect(result).toEqual({ status: 0, stdout: '', stderr: '' });
    await expectSame(source, target);
  });

  it('ends with 1 and says why when it cannot copy', async () => {
    const url = 'postgres://muster:hunter2@127.0.0.1:1/muster';
    expect(await muster(['copy', '--quiet', '--from', from, '--to', url])).toEqual({
      status: 1,
      stdout: '',
      stderr: [
        'muster: The target database on 127.0.0.1:1 cannot be used. Nothing was copied. Correct the URL or the server, and run the same command again.',
        '  because: connect ECONNREFUSED 127.0.0.1:1',
        '',
      ].join('\n'),
    });
  });

  it('ends with 2 and says what it takes when both places are wrong, without the password', async () => {
    const { status, stdout, stderr } = await muster([
      'copy',
      '--from=postgres://muster:hunter2@db/muster',
      '--to=mysql://muster:hunter2@db/muster',
    ]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr.split('\n')).toEqual([
      '--from is wrong: it takes sqlite: and the data directory of the installation, such as sqlite:./data or sqlite:/var/lib/muster.',
      expect.stringMatching(
        /^--to is not valid \(its value is secret and not shown\), but it takes a URL .*\.$/,
      ),
      '',
    ]);
  });

  it('ends with 2 when neither place is given', async () => {
    const { status, stderr } = await muster(['copy']);
    expect(status).toBe(2);
    expect(stderr).toMatch(/^--from is missing: it takes .*\n--to is missing, and so is DATABASE_URL: .*\n$/);
  });
});

describe('muster serve', () => {
  it('does not start on an unfinished copy, and says what to do', async () => {
    const target = await newTarget();
    await copyPartly(source, target, 12);
    const place = makeDirectory();
    const result = await muster(['serve', '--port=0', '--data-dir', place.dataDirectory], {
      DATABASE_URL: target.url,
    });
    expect(result).toMatchObject({
      status: 1,
      stdout: '',
      stderr: `muster: The database that DATABASE_URL names holds an unfinished copy of the installation in ${source.dataDirectory}, so that Muster does not start on it. Run 'muster copy --from ${from} --to …' again until it says that everything is verified, or name another database.\n`,
    });
    place.remove();
  });
});
