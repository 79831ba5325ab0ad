import { fstatSync } from 'node:fs';
import { type AgentEnd, endAs } from './process/agent-end.ts';
import { Output, whenTaken } from './process/output.ts';
import { takeSignals } from './process/signals.ts';
import type { ReportOptions } from './report-options.ts';
import { Reporting } from './reporting.ts';

const maxQueuedBytes = 1_048_576;

/** Reports the errors in stdin, until stdin ends or a signal ends this process. */
export async function runReportOfPipe(options: ReportOptions): Promise<void> {
  const stdout = new Output({ fd: 1, onClosed: () => process.stdin.destroy() });
  const stderr = new Output({ fd: 2, onClosed: () => undefined });
  const reporting = new Reporting({
    options,
    type: options.type ?? 'agent',
    dialect: options.type ?? 'agent',
    configFiles: options.configFiles ?? [],
    tell: (message) => stderr.tell(message),
    print: options.dryRun ? (text) => stdout.write(Buffer.from(`${text}\n`)) : undefined,
  });
  const watched = reporting.addStream('stderr');
  // A file can wait. The writer of a pipe may be an agent, which must not wait for muster report.
  const isPatient = options.dryRun || isFile(0);
  let end: AgentEnd = { kind: 'exit', code: 0 };
  let hasEnded = false;
  const stopSignals = takeSignals({
    forward(signal) {
      if (signal !== 'SIGTERM' && signal !== 'SIGINT' && signal !== 'SIGHUP') return;
      if (hasEnded) reporting.giveUp();
      end = { kind: 'signal', signal };
      process.stdin.destroy();
    },
  });
  reporting.begin();
  await readStdin((chunk) => {
    if (options.tee) stdout.write(chunk);
    watched.push(chunk);
    const isFull = stdout.queuedBytes > maxQueuedBytes;
    if (!isFull && !(isPatient && watched.isBehind)) return;
    process.stdin.pause();
    const isRead = isPatient ? reporting.whenRead() : undefined;
    void Promise.all([stdout.whenBelow(maxQueuedBytes / 4), isRead]).then(() => process.stdin.resume());
  });
  hasEnded = true;
  await reporting.endOfOutput(options.exitWaitSeconds * 1_000);
  // How the writer of the pipe ended is not known.
  await reporting.finish(options.exitWaitSeconds * 1_000, {});
  await whenTaken([stdout, stderr], () => end.kind === 'signal');
  stopSignals();
  endAs(end);
}

function isFile(fd: number): boolean {
  try {
    return fstatSync(fd).isFile();
  } catch {
    return false;
  }
}

/** Resolves when stdin has ended, failed or been destroyed. */
function readStdin(onChunk: (chunk: Buffer) => void): Promise<void> {
  return new Promise((resolve) => {
    process.stdin.on('data', onChunk);
    process.stdin.once('close', resolve);
    process.stdin.once('end', resolve);
    process.stdin.once('error', () => resolve());
  });
}
