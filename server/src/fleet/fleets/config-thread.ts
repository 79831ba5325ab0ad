import { Worker } from 'node:worker_threads';
import { Refusal } from '../../foundation/refusal.ts';
import { withResolvers } from '../../foundation/with-resolvers.ts';
import { workerFile } from '../../foundation/worker-file.ts';
import { type ConfigOutcome, type ConfigResults, type ConfigTask, resultOf } from './config-task.ts';

/** Up to this size, a configuration is worked on at once. A larger one would keep other requests waiting. */
export const maxInlineBytes = 32 * 1024;
/** The largest takes one or two seconds, and several times as long beside other work. */
export const maxTaskMilliseconds = 60_000;
export const maxWaitingTasks = 10;

type StartedThread = Pick<Worker, 'once' | 'terminate'>;

/** Works on large configurations one after the other. Each has a thread of its own, which ends with its answer, or when it has taken too long. */
export class ConfigThread {
  readonly #start: (task: ConfigTask) => StartedThread;
  #last: Promise<unknown> = Promise.resolve();
  #unfinished = 0;

  constructor(start: (task: ConfigTask) => StartedThread = startThread) {
    this.#start = start;
  }

  /** @throws Refusal overloaded, invalid_fleet_config, and what the task throws */
  async run<Kind extends ConfigTask['kind']>(
    task: Extract<ConfigTask, { kind: Kind }>,
    bytes: number,
  ): Promise<ConfigResults[Kind]> {
    // The result of a task is that of its kind.
    if (bytes <= maxInlineBytes) return resultOf(task) as ConfigResults[Kind];
    return (await this.#runOnThread(task)) as ConfigResults[Kind];
  }

  async #runOnThread(task: ConfigTask): Promise<ConfigResults[ConfigTask['kind']]> {
    if (this.#unfinished > maxWaitingTasks) {
      throw new Refusal('overloaded', {
        detail: `${maxWaitingTasks} large configurations wait for their turn. Send the request again in some seconds.`,
      });
    }
    this.#unfinished += 1;
    const done = this.#last
      .then(() => this.#await(task))
      .finally(() => {
        this.#unfinished -= 1;
      });
    this.#last = done.catch(() => undefined);
    const outcome = await done;
    if ('result' in outcome) return outcome.result;
    const { code, detail, fields } = outcome.refusal;
    throw new Refusal(code, { detail, ...(fields && { fields }) });
  }

  #await(task: ConfigTask): Promise<ConfigOutcome> {
    const { promise, resolve, reject } = withResolvers<ConfigOutcome>();
    const thread = this.#start(task);
    const timer = setTimeout(() => {
      reject(tooSlow());
      thread.terminate();
    }, maxTaskMilliseconds);
    const fail = (cause?: unknown) =>
      reject(new Error('the thread that works on a configuration has ended', { cause }));
    thread.once('message', resolve);
    thread.once('error', fail);
    thread.once('exit', () => fail());
    return promise.finally(() => clearTimeout(timer));
  }
}

function startThread(task: ConfigTask): StartedThread {
  return new Worker(workerFile('config-worker'), { workerData: task, name: `config-${task.kind}` });
}

function tooSlow(): Refusal {
  const message = `It takes more than ${maxTaskMilliseconds / 1_000} seconds to read it. Make it smaller, or move parts of it into files of the fleet.`;
  return new Refusal('invalid_fleet_config', {
    detail: message,
    fields: [{ path: '/rawConfig', message }],
  });
}
