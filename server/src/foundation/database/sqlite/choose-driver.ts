/** One possible SQLite driver. */
export interface Candidate<Driver> {
  readonly name: string;
  /** @throws the reason why it cannot be loaded */
  readonly load: () => Driver;
  /** The version of the SQLite library at run time, such as `3.51.3`. */
  readonly readVersion: (driver: Driver) => string;
}

/**
 * The release of SQLite that fixed its WAL-reset bug, and the branches that got the fix as well (SQLite, "Write-Ahead
 * Logging", section "The WAL-reset bug"). Before it, a checkpoint that runs while another connection writes may skip
 * pages of the log, which damages the database for good.
 */
const firstFixed = [3, 51, 3] as const;
const fixedBranches = [
  [3, 50, 7],
  [3, 44, 6],
] as const;

/**
 * Returns the first driver whose SQLite does not have the WAL-reset bug.
 *
 * @throws Error that lists the candidates and says what to do
 */
export function chooseDriver<Driver>(candidates: readonly Candidate<Driver>[]): Driver {
  const found: string[] = [];
  for (const { name, load, readVersion } of candidates) {
    try {
      const driver = load();
      const version = readVersion(driver);
      if (isFixed(version)) return driver;
      found.push(`${name} has SQLite ${version}`);
    } catch (error) {
      const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
      found.push(`${name} cannot be loaded (${reason})`);
    }
  }
  throw new Error(
    `Muster finds no SQLite version that is safe for your data: ${found.join('; ')}. SQLite before 3.51.3 has a bug that can damage a database (https://sqlite.org/wal.html#walresetbug). Run Muster with a newer Node.js, one where 'node -p process.versions.sqlite' prints 3.51.3 or more, or use PostgreSQL with DATABASE_URL.`,
  );
}

function isFixed(version: string): boolean {
  const parts = version.split('.').map(Number);
  const [major, minor, patch = 0] = parts;
  const branch = fixedBranches.find((fixed) => fixed[0] === major && fixed[1] === minor);
  if (branch !== undefined) return patch >= branch[2];
  for (const [index, least] of firstFixed.entries()) {
    const part = parts[index] ?? 0;
    if (part !== least) return part > least;
  }
  return true;
}
