import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { root } from './workspace.mjs';

/** The exit code of shells for a command that does not exist. */
export const notFoundExitCode = 127;

/**
 * Runs a command at the root of the repository and returns its exit code. This process ignores signals and waits, so that
 * the command ends in its own way.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ shell?: boolean }} [options]
 * @returns {Promise<number>}
 */
export function runCommand(command, args, { shell = false } = {}) {
  const child = spawn(command, args, { cwd: root, stdio: 'inherit', shell });
  const passOn = () => void child.kill('SIGTERM');
  // A terminal sends Ctrl-C to both processes already; a second one would make the command stop at once.
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
