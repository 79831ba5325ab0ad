import { execFileSync } from 'node:child_process';
import { closeSync, constants, fstatSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StreamName } from './agent-kind.ts';

export type OutputFd = 1 | 2;

/** Pipes for the output of an agent. */
export interface AgentPipes {
  /** For the standard streams of the process. */
  readonly stdio: {
    readonly stdout: number | 'pipe' | 'inherit';
    readonly stderr: number | 'pipe' | 'inherit';
  };
  /** Readers by the descriptor of this process to write to. Undefined: Node makes the pipe itself. */
  readonly readers: ReadonlyMap<OutputFd, Socket | undefined>;
  /** Closes our copies of the ends of the agent. Call it once the agent runs. */
  handOver(): void;
}

/**
 * Makes real pipes. Node's own are sockets, which cannot be opened by name, so an agent that logs to `/dev/stderr` would
 * fail. When stdout and stderr are the same file, they share a pipe, so that their lines keep their order.
 */
export function makeAgentPipes(streams: readonly StreamName[]): AgentPipes {
  const fds = streams.map((stream): OutputFd => (stream === 'stdout' ? 1 : 2));
  const isShared = fds.length === 2 && isSameFile(1, 2);
  const needed: readonly OutputFd[] = isShared ? [2] : fds;
  const made = makePipes(needed);
  const endFor = (fd: OutputFd) => {
    if (!fds.includes(fd)) return 'inherit';
    return made?.get(isShared ? 2 : fd)?.writeEnd ?? 'pipe';
  };
  return {
    stdio: { stdout: endFor(1), stderr: endFor(2) },
    readers: new Map((made === undefined ? fds : needed).map((fd) => [fd, made?.get(fd)?.reader])),
    handOver() {
      for (const { writeEnd } of made?.values() ?? []) closeSync(writeEnd);
    },
  };
}

interface Pipe {
  readonly reader: Socket;
  readonly writeEnd: number;
}

/** Undefined when they cannot be made: there is no directory to write to, or this is Windows. */
function makePipes(names: readonly OutputFd[]): Map<OutputFd, Pipe> | undefined {
  const pipes = new Map<OutputFd, Pipe>();
  let directory: string | undefined;
  try {
    const parent = mkdtempSync(join(tmpdir(), 'muster-report-'));
    directory = parent;
    execFileSync('mkfifo', ['-m', '600', ...names.map((name) => join(parent, String(name)))], {
      stdio: 'ignore',
    });
    for (const name of names) pipes.set(name, openPipe(join(parent, String(name))));
    return pipes;
  } catch {
    for (const { reader, writeEnd } of pipes.values()) {
      reader.destroy();
      closeSync(writeEnd);
    }
    return undefined;
  } finally {
    if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
  }
}

/** Once both ends are open, the name can be removed. */
function openPipe(path: string): Pipe {
  const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writeEnd = openSync(path, constants.O_WRONLY);
  return { reader: new Socket({ fd: readEnd, readable: true, writable: false }), writeEnd };
}

function isSameFile(one: number, other: number): boolean {
  try {
    const [first, second] = [fstatSync(one), fstatSync(other)];
    return first.dev === second.dev && first.ino === second.ino;
  } catch {
    return false;
  }
}
