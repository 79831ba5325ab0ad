import { createRequire } from 'node:module';

type Driver = Pick<typeof import('@photostructure/sqlite'), 'DatabaseSync'>;

/**
 * SQLite as Node itself has it (22.13 and newer, no flag), else the package with the same interface.
 * `require` because a static import of `node:sqlite` fails on older versions.
 */
export function loadSqliteDriver(): Driver {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const builtIn = major > 22 || (major === 22 && minor >= 13);
  return createRequire(import.meta.url)(builtIn ? 'node:sqlite' : '@photostructure/sqlite');
}
