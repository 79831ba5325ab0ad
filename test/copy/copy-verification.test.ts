import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyInstallation } from '../../server/src/foundation/database/copy/copy-installation.ts';
import { refuseUnfinishedCopy } from '../../server/src/foundation/database/copy/refuse-unfinished-copy.ts';
import { openDatabase } from '../../server/src/foundation/database/open-database.ts';
import {
  copyPartly,
  createTarget,
  expectSame,
  makeDirectory,
  makeInstallation,
  messagesOf,
  onSource,
  type TargetPlace,
} from './copy-places.ts';

interface ErrorKey {
  readonly agent_id: string;
  readonly id: string;
}

const source = makeDirectory();
let target: TargetPlace;
let keys: readonly ErrorKey[];

const copy = () => copyInstallation({ ...source, databaseUrl: target.url });

/** The line about a table in the output of a failed copy. */
async function complaint(): Promise<string> {
  const [message = ''] = await messagesOf(copy());
  expect(message).toMatch(/^The copy is not the same as its source, .*\n.*\n.*Empty the target database/);
  expect(await target.hasTable('copy_progress')).toBe(true);
  return message.split('\n')[1]?.trim() ?? '';
}

const describeKey = (key: ErrorKey | undefined) => `first at id ${key?.id}`;

beforeAll(async () => {
  await makeInstallation(source, 2);
  target = await createTarget();
  // All rows are there, but none is verified.
  await copyPartly(source, target, 'verify');
  expect(await target.query('select 1 from copy_progress where not is_done')).toEqual([]);
  keys = onSource(source, 'select agent_id, id from agent_errors order by id') as ErrorKey[]; // two columns
});

afterAll(async () => {
  await target.drop();
  source.remove();
});

describe('the verification of a copy', () => {
  it('finds a text with one character more', async () => {
    const key = keys[1_234];
    await target.query(`update agent_errors set error = error || ' ' where id = $1`, [key?.id]);
    expect(await complaint()).toBe(
      `agent_errors: 2000 rows on both sides, but not the same, ${describeKey(key)}`,
    );
    await target.query(`update agent_errors set error = left(error, -1) where id = $1`, [key?.id]);
  });

  it('finds one byte that differs', async () => {
    const flip =
      'update agent_errors set error_digest = set_byte(error_digest, 31, 255 - get_byte(error_digest, 31)) where id = $1';
    await target.query(flip, [keys[0]?.id]);
    expect(await complaint()).toBe(
      `agent_errors: 2000 rows on both sides, but not the same, ${describeKey(keys[0])}`,
    );
    await target.query(flip, [keys[0]?.id]);
  });

  it('finds an empty text instead of null', async () => {
    await target.query(`update agent_errors set dismiss_reason = '' where id = $1`, [keys.at(-1)?.id]);
    expect(await complaint()).toBe(
      `agent_errors: 2000 rows on both sides, but not the same, ${describeKey(keys.at(-1))}`,
    );
    await target.query('update agent_errors set dismiss_reason = null');
  });

  it('finds a missing row', async () => {
    const [row] = await target.query<{ text: string }>(
      'with gone as (delete from agent_errors where id = $1 returning *) select to_json(gone)::text as text from gone',
      [keys[700]?.id],
    );
    expect(await complaint()).toBe(
      `agent_errors: 2000 rows in the source, 1999 in the target, ${describeKey(keys[700])}`,
    );
    await target.query(
      'insert into agent_errors select * from json_populate_record(null::agent_errors, $1::json)',
      [row?.text],
    );
  });

  it('finds an additional row', async () => {
    const key = { agent_id: keys[0]?.agent_id ?? '', id: '00000000-0000-7000-8000-000000000000' };
    await target.query(
      `insert into agent_errors
       select (json_populate_record(agent_errors, json_build_object('id', $2::text, 'epoch', 99))).*
       from agent_errors where id = $1`,
      [keys[0]?.id, key.id],
    );
    expect(await complaint()).toBe(
      `agent_errors: 2000 rows in the source, 2001 in the target, ${describeKey(key)}`,
    );
    await target.query('delete from agent_errors where id = $1', [key.id]);
  });

  it('finds every table that differs, and shows none of their content', async () => {
    await target.query(`update users set name = 'mallory'`);
    await target.query(`update access_tokens set digest = 'feed'`);
    const [message = ''] = await messagesOf(copy());
    expect(message.match(/^ {2}\w+/gm)).toEqual(['  users', '  access_tokens']);
    expect(message).not.toMatch(/mallory|feed/);
    const [row] = onSource(source, 'select digest from access_tokens') as { digest: string }[]; // one column
    await target.query(`update users set name = 'administrator'`);
    await target.query('update access_tokens set digest = $1', [row?.digest]);
  });

  it('finds a number of credential changes that replicas could have seen before', async () => {
    await target.query('update credential_changes set generation = generation - 1');
    expect(await complaint()).toMatch(/^credential_changes: generation \d+, where it must be above \d+$/);
    await target.query('update credential_changes set generation = generation + 1');
  });

  it('finds that the source changed between two runs', async () => {
    const fourth = '(select place from agent_error_rows order by place limit 1 offset 3)';
    onSource(source, `update agent_error_rows set occurrences = 7 where place = ${fourth}`);
    expect(await complaint()).toContain(describeKey(keys[3]));
    onSource(source, `update agent_error_rows set occurrences = 1 where place = ${fourth}`);
  });

  it('keeps the service from starting on the target until it finds no difference', async () => {
    const database = await openDatabase({
      ...source,
      databaseUrl: target.url,
      onConnectionError: () => undefined,
    });
    expect(await messagesOf(refuseUnfinishedCopy(database))).toEqual([
      `The database that DATABASE_URL names holds an unfinished copy of the installation in ${source.dataDirectory}, so that Muster does not start on it. Run 'muster copy --from sqlite:${source.dataDirectory} --to …' again until it says that everything is verified, or name another database.`,
    ]);
    // An error whose place another one had lies behind errors with greater ids.
    const lastButOne = '(select place from agent_error_rows order by place desc limit 1 offset 1)';
    onSource(
      source,
      `update agent_error_rows set place = place + 2, id_rest = id_rest + (2 << 55) where place = ${lastButOne}`,
    );
    await copy();
    await expectSame(source, target);
    await expect(refuseUnfinishedCopy(database)).resolves.toBeUndefined();
    await database.close();
  });
});
