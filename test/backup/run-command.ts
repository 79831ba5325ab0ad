import { spawn } from 'node:child_process';
import { buffer, text } from 'node:stream/consumers';
import { root } from '../../scripts/workspace.mjs';
import { musterCommand } from '../../server/src/testing/calls/muster-command.ts';

interface Ending {
  readonly status: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Runs `muster` with only these settings in its environment and these bytes as its input. */
export async function runCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  input?: Uint8Array,
): Promise<Ending> {
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, [...musterCommand, ...args], {
    cwd: root,
    env: { PATH, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  // A command that refuses its input closes it.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [stdout, stderr, status] = await Promise.all([buffer(child.stdout), text(child.stderr), exit]);
  return { status, stdout, stderr };
}
