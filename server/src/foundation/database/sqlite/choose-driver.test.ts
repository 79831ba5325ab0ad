import { describe, expect, it } from 'vitest';
import { type Candidate, chooseDriver } from './choose-driver.ts';
import { loadSqliteDriver } from './load-driver.ts';

interface Driver {
  readonly name: string;
  readonly version: string;
}

const having = (name: string, version: string): Candidate<Driver> => ({
  name,
  load: () => ({ name, version }),
  readVersion: (driver) => driver.version,
});

const absent = (name: string, message: string): Candidate<Driver> => ({
  ...having(name, ''),
  load: () => {
    throw new Error(message);
  },
});

describe('chooseDriver', () => {
  it.each(['3.51.3', '3.52.0', '3.53.4', '3.60.0', '4.0.0', '3.50.7', '3.50.8', '3.44.6'])(
    'accepts SQLite %s, which does not have the WAL-reset bug',
    (version) => {
      const driver = chooseDriver([having('node:sqlite', version), having('a package', '3.53.0')]);
      expect(driver).toEqual({ name: 'node:sqlite', version });
    },
  );

  it.each(['3.7.0', '3.44.5', '3.45.3', '3.47.2', '3.50.4', '3.50.6', '3.51.0', '3.51.2', 'unknown'])(
    'rejects SQLite %s, and uses the next candidate',
    (version) => {
      const driver = chooseDriver([having('node:sqlite', version), having('a package', '3.53.0')]);
      expect(driver).toEqual({ name: 'a package', version: '3.53.0' });
    },
  );

  it('uses the next candidate if the first is missing, as in Node 20', () => {
    const none = absent('node:sqlite', 'No such built-in module: node:sqlite');
    expect(chooseDriver([none, having('a package', '3.53.0')]).name).toBe('a package');
  });

  it('throws if every candidate has the bug, and says what was found and what to do', () => {
    const candidates = [
      having('node:sqlite', '3.51.2'),
      absent('a package', 'No native build was found for platform=linux arch=riscv64\nRequire stack:\n- x'),
    ];
    expect(() => chooseDriver(candidates)).toThrow(
      new Error(
        "Muster finds no SQLite version that is safe for your data: node:sqlite has SQLite 3.51.2; a package cannot be loaded (No native build was found for platform=linux arch=riscv64). SQLite before 3.51.3 has a bug that can damage a database (https://sqlite.org/wal.html#walresetbug). Run Muster with a newer Node.js, one where 'node -p process.versions.sqlite' prints 3.51.3 or more, or use PostgreSQL with DATABASE_URL.",
      ),
    );
  });
});

describe('loadSqliteDriver', () => {
  it('finds a candidate for this Node.js', () => {
    const { DatabaseSync } = loadSqliteDriver();
    const connection = new DatabaseSync(':memory:');
    connection.exec('SELECT 1');
    connection.close();
  });
});
