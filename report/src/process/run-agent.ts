import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import type { AgentEnd } from './agent-end.ts';
import type { StreamName } from './agent-kind.ts';
import { makeAgentPipes, type OutputFd } from './agent-pipes.ts';
import type { Output } from './output.ts';

/** Reading pauses while more than this waits to be written. The agent would wait for a slow reader in the same way. */
const maxQueuedBytes = 1_048_576;
const resumeBelowBytes = 262_144;
/** How long to wait for outputs that children of the agent keep open after it has ended. */
const restMilliseconds = 1_000;

export interface RunAgentOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly streams: readonly StreamName[];
  readonly outputs: Readonly<Record<OutputFd, Output>>;
  /** Called with everything that a watched stream carries. */
  readonly onOutput: (fd: OutputFd, chunk: Buffer) => void;
}

export interface RunningAgent {
  kill(signal: NodeJS.Signals): void;
  /** The reader of this output has closed it. The agent then notices, as it would without muster report. */
  closeReader(fd: OutputFd): void;
  /** Resolves when the agent has ended and all its output has been read; rejects when it could not be started. */
  readonly ended: Promise<AgentEnd>;
}

/** Starts the agent and passes its output on; stdin, environment, directory and group are those of this process. */
export function runAgent({ command, args, streams, outputs, onOutput }: RunAgentOptions): RunningAgent {
  const pipes = makeAgentPipes(streams);
  const { stdout, stderr } = pipes.stdio;
  const child = spawn(command, args, { stdio: ['inherit', stdout, stderr] });
  pipes.handOver();
  const readers = new Map<OutputFd, Readable>();
  for (const [fd, made] of pipes.readers) {
    const reader = made ?? (fd === 1 ? child.stdout : child.stderr);
    if (reader !== null) readers.set(fd, reader);
  }
  const ends = [...readers].map(([fd, reader]) =>
    passOn(reader, outputs[fd], (chunk) => onOutput(fd, chunk)),
  );
  return {
    kill: (signal) => void child.kill(signal),
    closeReader: (fd) => void readers.get(fd)?.destroy(),
    ended: waitForEnd(child, ends),
  };
}

/** Resolves when the stream has ended. */
function passOn(reader: Readable, output: Output, onChunk: (chunk: Buffer) => void): Promise<void> {
  return new Promise((resolve) => {
    reader.on('data', (chunk: Buffer) => {
      // Passed on first, read later.
      output.write(chunk);
      onChunk(chunk);
      if (output.queuedBytes <= maxQueuedBytes) return;
      reader.pause();
      void output.whenBelow(resumeBelowBytes).then(() => reader.resume());
    });
    reader.once('close', resolve);
    // A broken pipe is an ended one.
    reader.once('error', () => resolve());
  });
}

async function waitForEnd(
  child: ReturnType<typeof spawn>,
  outputEnds: readonly Promise<void>[],
): Promise<AgentEnd> {
  // Rejects with the error of a program that could not be started.
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]; // as Node documents it
  let timer: NodeJS.Timeout | undefined;
  const restTime = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, restMilliseconds);
  });
  await Promise.race([Promise.all(outputEnds), restTime]);
  clearTimeout(timer);
  return signal === null ? { kind: 'exit', code: code ?? 0 } : { kind: 'signal', signal };
}
