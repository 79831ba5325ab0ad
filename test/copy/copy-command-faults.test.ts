import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runMusterProcess } from '../../server/src/testing/muster-process.ts';
import { makeDirectory, makeInstallation } from './copy-places.ts';

const source = makeDirectory();
const from = `sqlite:${source.dataDirectory}`;

beforeAll(async () => {
  await makeInstallation(source, 0);
});

afterAll(() => source.remove());

describe('muster copy', () => {
  it('exits with 1 and the reason if it cannot copy', async () => {
    const url = 'postgres://muster:hunter2@127.0.0.1:1/muster';
    expect(await runMusterProcess(['copy', '--quiet', '--from', from, '--to', url])).toEqual({
      code: 1,
      signal: null,
      stdout: '',
      stderr: [
        'muster: The target database on 127.0.0.1:1 cannot be used. Nothing was copied. Correct the URL or the server, and run the same command again.',
        '  because: Nothing listens on 127.0.0.1:1. Look whether PostgreSQL runs there, whether it listens on that address (listen_addresses), and whether host and port in --to are right.',
        '  because: connect ECONNREFUSED 127.0.0.1:1',
        '',
      ].join('\n'),
    });
  });

  it('exits with 2 and explains both flags, without the password, if both are wrong', async () => {
    const { code, stdout, stderr } = await runMusterProcess([
      'copy',
      '--from=postgres://muster:hunter2@db/muster',
      '--to=mysql://muster:hunter2@db/muster',
    ]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr.split('\n')).toEqual([
      'muster: --from is wrong: it takes sqlite: and the data directory of the installation, such as sqlite:./data or sqlite:/var/lib/muster.',
      expect.stringMatching(
        /^muster: --to is not valid \(its value is secret and not shown\), but it takes a URL .*\.$/,
      ),
      '',
    ]);
  });

  it('exits with 2 if neither flag is given', async () => {
    const { code, stderr } = await runMusterProcess(['copy']);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^muster: --from is missing: it takes .*\nmuster: --to is missing, and so is DATABASE_URL: .*\n$/,
    );
  });
});
