import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { type Config, settings } from '../../foundation/settings/config.ts';
import type { RunBackup } from '../../upkeep/backups/backup-service.ts';

/**
 * Runs `muster backup` in a process of its own, with a lower priority: a copy in this process would release the locks of the database, and would take
 * time from requests.
 *
 * @param commandFile the program `muster`
 */
export function createRunBackup(commandFile: string, config: Config): RunBackup {
  return async ({ directory, keep, signal }) => {
    const flags = keep === 0 ? [] : ['--keep', String(keep)];
    const child = spawn(
      process.execPath,
      [...process.execArgv, commandFile, 'backup', directory, '--quiet', ...flags],
      { env: environmentOf(config), stdio: ['ignore', 'ignore', 'pipe'], signal, killSignal: 'SIGKILL' },
    );
    const [reason, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
    if (code !== 0)
      throw new Error(reason.replace(/^muster: /, '').trim() || 'the process of the backup was ended');
  };
}

/** Settings that were given as flags, as variables. */
function environmentOf({ dataDirectory, databaseUrl, maxLogMegabytes }: Config): NodeJS.ProcessEnv {
  return {
    ...process.env,
    [settings.dataDirectory.variable]: dataDirectory,
    [settings.databaseUrl.variable]: databaseUrl ?? '',
    [settings.maxLogMegabytes.variable]: String(maxLogMegabytes),
  };
}
