import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import {
  DummyDriver,
  Kysely,
  type RawBuilder,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { describe, expect, it } from 'vitest';
import { columnTypes, type Engine, tableOptions } from './column-types.ts';

/**
 * SHA-256 of each migration that may have run somewhere. One that is added is added here too; one that is here
 * never changes: a database that has run it would not run it again.
 */
const merged: Readonly<Record<string, string>> = {
  '0001-initial.ts': '0980cccec081066e5333721dd11465eeb05398082d94af282b771a15e22f2d92',
  '0002-open-errors-by-project.ts': 'ef47ca838e6553fcd96e8620c807c932870b3cc2631ca783c1df42ad021b296a',
  '0003-identities.ts': '97751c60767003a412700d050813eef907f9e4677608726b0d4dd88d7cdb8548',
  '0004-compact-errors.ts': '263b6ad36b3c0c886ebbbce8b89c573dd1275ed4a842d3b5c8379c9db49b9ddc',
  '0005-agent-signs.ts': 'c4446cb4143dd0b1b3027be5637c437b9db74560eb958e0e22073fa27c70f351',
  '0006-error-groups.ts': '401a682d070f668540e620f243f0db434b069298f5cdcc6fd6252c17992f1ff6',
  '0007-errors-by-project.ts': '9f9af89413178e063fa1b54c2c887d5172d37554e0a24da8e3ce710ce8968904',
  '0008-dismissals.ts': 'eed6def91a09a87699715188509b205e489c279b06b1723ce707c6bed1380cd5',
  '0009-events.ts': '5f3d01a3fd579f563ed4614a89b879876f4c229b855e5d896acfd486eab605e0',
  '0010-people.ts': '6a57bee5a30e7eeb168e8efd1ecaef3bb243812835415a9b2e4e303171216573',
  '0011-token-life.ts': '1a62b6553e249f1e792012c761c0b852cd45418abf7be49789286747c019bfd6',
  '0012-batches-of-errors.ts': '28b1f3db84c7b8dfb422d1bc8ca5b0641f60073f1cfe20ebdadbeb3a60008a88',
  '0013-agent-states.ts': 'aca42b8469d5be28d196480acdf886b2a15fd4db5076986ae1d4ec3f92919451',
  '0014-rotated-by.ts': 'ebd483a45f17743c8b2e9ce2c60583810c0f8290819d2031e4ebafd426349372',
  '0015-audit.ts': 'e8e64fbb012de41dc3ef4e133cb5784d50647afa6bb48d49ca0b150a45c31f98',
  '0016-audit-pending.ts': '0a2516e3c446978a2c2ae90e30483fdb4a55e152c10e8b1bc11c064307d7a53d',
  '0017-sessions.ts': '1ea36d485af6190d744a7d3ecd1179bcd81f42b240f2e08c0001e605cb00cad4',
  '0018-alerts.ts': '4e2d3220c61e45a89882ba94f01ccaeaf8fe64192ef2fd15cd4090ce0805c0c5',
  '0019-token-leaks.ts': 'd0742362c847f7a9113447f779e7b50af0ded94f1281acb662f165f4ac8e3bef',
  '0020-provisioned.ts': '80a7a148de5195829b4b8a70382681d15d8c3db555d593d8b25efafad7b6b1ca',
  '0021-configs-by-project.ts': '5c7fac84226e0cd49ad83d078a8dddabee4ea4f1afa4709b9fc85407647ca6d6',
  '0022-plans-of-triggers.ts': '3454a2c67cee966e1f9bad318ea855f985e90faf1891d783ef0a473727d47c4b',
  '0023-core-instances.ts': '6eb7c4596df0f936efe51dabcffe5ad992e29fc0ed3ec68e81a5c6e510ca4932',
};

const migration = /^\d{4}-[a-z\d-]+\.ts$/;

describe('a merged migration', () => {
  const folder = new URL('.', import.meta.url);
  const files = readdirSync(folder).filter((name) => migration.test(name));

  it('is never changed: write another one that changes what it has made', () => {
    const digests = files.map((name) => [name, hash('sha256', readFileSync(new URL(name, folder)))]);
    expect(Object.fromEntries(digests)).toEqual(merged);
  });

  it('has a number of its own, in one row without a gap', () => {
    expect(files.map((name) => Number(name.slice(0, 4)))).toEqual(files.map((_, index) => index + 1));
  });

  it('is written in words that stay as they are; others may be added', () => {
    const compiler = new Kysely({
      dialect: {
        createAdapter: () => new SqliteAdapter(),
        createDriver: () => new DummyDriver(),
        createIntrospector: (db) => new SqliteIntrospector(db),
        createQueryCompiler: () => new SqliteQueryCompiler(),
      },
    });
    const textOf = (word: RawBuilder<unknown>) => word.compile(compiler).sql;
    const wordsOf = (engine: Engine) => ({
      ...Object.fromEntries(Object.entries(columnTypes(engine)).map(([name, word]) => [name, textOf(word)])),
      end: textOf(tableOptions(engine)),
    });
    expect(wordsOf('sqlite')).toMatchObject({
      id: 'text',
      text: 'text',
      bytes: 'blob',
      integer: 'integer',
      end: 'strict, without rowid',
    });
    expect(wordsOf('postgres')).toMatchObject({
      id: 'uuid',
      text: 'text',
      bytes: 'bytea',
      integer: 'bigint',
      end: '',
    });
  });
});
