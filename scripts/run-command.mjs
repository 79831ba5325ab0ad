import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { root } from './workspace.mjs';

/** The exit code of a command that does not exist, as shells have it. */
export const notFoundExitCode = 127;

/**
 * Runs a command at the root of the repository and answers its exit code. This process waits for it whatever the
 * signal, so that it ends in its own way.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ shell?: boolean }} [options]
 * @returns {Promise<number>}
 */
export function runCommand(command, args, { shell = false } = {}) {
  const child = spawn(command, args, { cwd: root, stdio: 'inherit', shell });
  const passOn = () => void child.kill('SIGTERM');
  // A terminal sends Ctrl-C to both already; a second one would be taken for impatience.
  const leaveToChild = () => undefined;
  process.on('SIGTERM', passOn).on('SIGINT', leaveToChild);
  /** @type {Promise<number>} */
  const exitCode = new Promise((resolve) => {
    child.on('error', () => resolve(notFoundExitCode));
    child.on('close', (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? 'SIGTERM']));
  });
  return exitCode.finally(() => process.off('SIGTERM', passOn).off('SIGINT', leaveToChild));
}

/**
 * Runs a script with this Node.
 *
 * @param {string} file
 * @param {readonly string[]} [args]
 */
export function runScript(file, args = []) {
  return runCommand(process.execPath, [file, ...args]);
}
