import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { pack } from '../../scripts/pack.mjs';

/** Muster as it is installed from its packed file alone. */
export interface InstalledMuster {
  /** Where the file lies and commands are run. */
  readonly folder: string;
  readonly home: string;
  readonly prefix: string;
  /** Path of the file. */
  readonly file: string;
  /** As its user's shell has it: `muster` is on the path, and npm reaches no registry. */
  readonly env: Readonly<Record<string, string>>;
  /** Runs a line of shell. @throws Error when it fails */
  run(line: string): Promise<{ readonly stdout: string; readonly stderr: string }>;
  remove(): void;
}

/** Packs Muster and leaves the file in an empty folder. `npm install --global` puts it below `prefix`. */
export async function packMuster(): Promise<InstalledMuster> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'muster-install-')));
  const [folder, home, prefix] = [join(base, 'folder'), join(base, 'home'), join(base, 'prefix')];
  for (const path of [folder, home, prefix]) mkdirSync(path);
  const file = await pack(folder);
  const env = {
    PATH: [join(prefix, 'bin'), dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
    HOME: home,
    npm_config_prefix: prefix,
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
  };
  return {
    folder,
    home,
    prefix,
    file,
    env,
    run: (line) => promisify(execFile)('bash', ['-c', line], { cwd: folder, env, timeout: 600_000 }),
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
}
