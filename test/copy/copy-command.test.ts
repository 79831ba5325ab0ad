import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runMusterProcess } from '../../server/src/testing/muster-process.ts';
import {
  copyPartly,
  createTarget,
  expectSame,
  makeDirectory,
  makeInstallation,
  rowCounts,
  type TargetPlace,
} from './copy-places.ts';

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

describe('muster copy', () => {
  it('copies, shows its progress, and ends with a table and the next steps', async () => {
    const target = await newTarget();
    writeFileSync(join(source.dataDirectory, 'secret-key'), 'of the first start\n', { mode: 0o600 });
    const { code, stdout, stderr } = await runMusterProcess(['copy', '--from', from, '--to', target.url]);
    expect(stderr).toMatch(
      /^Copying the installation in \S+\. You can stop it safely: .*\ncopying users: 0 of 1 rows\n/,
    );
    const counts = rowCounts(source);
    const total = { table: 'total', rows: counts.reduce((sum, { rows }) => sum + rows, 0) };
    expect(stdout.replaceAll(/ +/g, ' ').replaceAll(/ \d+\.\d$/gm, ' 0.0')).toBe(
      [
        'Done: every row is copied, and both databases were compared and are equal.',
        '',
        ' table rows seconds',
        ...[...counts, total].map(({ table, rows }) => ` ${table} ${rows.toLocaleString('en-US')} 0.0`),
        '',
        `Next: set DATABASE_URL to the new database and start Muster. All tokens stay valid, also the one in ${source.dataDirectory}/admin-token.`,
        `Set MUSTER_SECRET_KEY too, to the content of ${source.dataDirectory}/secret-key: without it, alert channels get no messages, and agents no secrets of their fleets.`,
        `Keep ${source.dataDirectory} until you are satisfied. The copy did not change it; changes from now on are only in the new database.`,
        '',
      ].join('\n'),
    );
    expect(stdout).toMatch(/^ {2}users +1 +\d/m);
    expect(stdout).toMatch(/^ {2}agent_errors +1,000 +\d/m);
    const widths = stdout.match(/^ {2}.+$/gm)?.map((line) => line.length);
    expect(new Set(widths).size).toBe(1);
    expect(code).toBe(0);
    await expectSame(source, target);
  });

  it('continues an unfinished copy, takes its target from the environment and can be quiet', async () => {
    const target = await newTarget();
    await copyPartly(source, target, 12);
    const asUrl = `sqlite://${source.dataDirectory}`;
    const result = await runMusterProcess(['copy', '--from', asUrl, '--quiet'], {
      env: { DATABASE_URL: target.url },
    });
    expect(result).toEqual({ code: 0, signal: null, stdout: '', stderr: '' });
    await expectSame(source, target);
  });
});

describe('muster serve', () => {
  it('does not start on an unfinished copy, and says what to do', async () => {
    const target = await newTarget();
    await copyPartly(source, target, 12);
    const place = makeDirectory();
    const result = await runMusterProcess(['serve', '--port=0', '--data-dir', place.dataDirectory], {
      env: { DATABASE_URL: target.url },
    });
    expect(result).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `muster: The database that DATABASE_URL names holds an unfinished copy of the installation in ${source.dataDirectory}, so that Muster does not start on it. Run 'npx muster copy --from ${from} --to …' again until it says that everything is verified, or name another database.\n`,
    });
    place.remove();
  });
});
