import { startFlags, startVariables } from '@muster/server/start-flags';

/** What is used of Node's `process`. */
export interface ReplaceableProcess {
  readonly argv: readonly string[];
  readonly execArgv: readonly string[];
  readonly execPath: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  /** True if the program that started this one exchanges messages with it. They would be lost. */
  readonly connected: boolean;
  /** Since Node.js 22.15. Replaces the program in the process, which keeps its number and its terminal. */
  readonly execve?:
    | ((
        file: string,
        args: readonly string[],
        env: Readonly<Record<string, string | undefined>>,
      ) => undefined)
    | undefined;
}

/**
 * Starts this program anew in the same process with the flags of the service, because V8 reads them only at the start, and the first line of a
 * command cannot carry flags on every system: BusyBox does not split them, and Windows has no shell for another form. Does nothing if all flags were
 * given, or if this Node.js or system cannot replace the program.
 *
 * @param file the program
 */
export function restartWithStartFlags(own: ReplaceableProcess, file: string): void {
  if (own.execve === undefined || own.platform === 'win32' || own.connected) return;
  const given = [...own.execArgv, ...(own.env.NODE_OPTIONS ?? '').split(/\s+/)].map(nameOf);
  const missing = startFlags.filter((flag) => !given.includes(nameOf(flag)));
  if (missing.length === 0) return;
  const args = [own.execPath, ...own.execArgv, ...missing, file, ...own.argv.slice(2)];
  own.execve(own.execPath, args, { ...startVariables, ...own.env });
}

/** Without the value, and without the prefix that negates a flag. */
function nameOf(flag: string): string {
  return flag
    .replaceAll('_', '-')
    .replace(/=.*/, '')
    .replace(/^--no-/, '--');
}
