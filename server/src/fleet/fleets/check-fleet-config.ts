import { Worker } from 'node:worker_threads';
import type { FleetConfigFinding } from '@muster/contract';
import { PacedTurns } from '../../foundation/scheduling/paced-turns.ts';
import { withResolvers } from '../../foundation/with-resolvers.ts';
import { workerFile } from '../../foundation/worker-file.ts';
import { type CheckedConfig, findingsOf } from './config-findings.ts';

/** Of a configuration with its files. To check more would keep other requests waiting. */
const maxInlineBytes = 32 * 1024;

/** Checks configurations one after the other. Large ones have a thread, one at a time, which ends when it has answered. */
export class FleetConfigChecker {
  readonly #turns = new PacedTurns();
  #lastThread: Promise<unknown> = Promise.resolve();

  check(config: CheckedConfig): Promise<FleetConfigFinding[]> {
    const bytes = config.files.reduce((sum, file) => sum + file.bytes.length, config.rawConfig.length);
    if (bytes <= maxInlineBytes) return this.#turns.run(() => findingsOf(config));
    const checked = this.#lastThread.then(() => checkOnThread(config));
    this.#lastThread = checked.catch(() => undefined);
    return checked;
  }
}

function checkOnThread(config: CheckedConfig): Promise<FleetConfigFinding[]> {
  const { promise, resolve, reject } = withResolvers<FleetConfigFinding[]>();
  const worker = new Worker(workerFile('config-check-worker'), { workerData: config, name: 'config-check' });
  const fail = (cause?: unknown) =>
    reject(new Error('the thread that checks a configuration has ended', { cause }));
  worker.once('message', resolve);
  worker.once('error', fail);
  worker.once('exit', () => fail());
  return promise;
}
