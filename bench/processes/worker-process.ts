import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Closing } from './closing.ts';
import { exitOf, stopChild } from './start-process.ts';

/** A TypeScript file of the benchmark in a separate process, called by messages. */
export interface WorkerProcess {
  readonly pid: number;
  /** Rejects with an error of the other side, when the process ends, and after `limitMilliseconds`. */
  ask<Result>(question: string, details: unknown, limitMilliseconds: number): Promise<Result>;
  stop(): Promise<void>;
}

interface Question {
  readonly id: number;
  readonly question: string;
  readonly details: unknown;
}

type Reply = { readonly id: number } & ({ readonly result: unknown } | { readonly failure: string });

const root = fileURLToPath(new URL('../..', import.meta.url));

export function startWorkerProcess(closing: Closing, file: URL): WorkerProcess {
  const child = fork(file, {
    cwd: root,
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const exited = exitOf(child);
  let lastID = 0;
  return {
    pid: child.pid ?? 0,
    stop: closing.add(() => stopChild(child, exited)),
    ask<Result>(question: string, details: unknown, limitMilliseconds: number) {
      lastID += 1;
      const id = lastID;
      return new Promise<Result>((resolve, reject) => {
        const settle = (action: () => void) => {
          clearTimeout(timer);
          child.off('message', onMessage).off('close', onClose);
          action();
        };
        const onMessage = (reply: Reply) => {
          if (reply.id !== id) return;
          if ('failure' in reply) settle(() => reject(new Error(reply.failure)));
          else settle(() => resolve(reply.result as Result)); // the caller knows the type of the answer
        };
        const onClose = () => settle(() => reject(new Error(`${file.pathname} has ended`)));
        const timer = setTimeout(
          () => settle(() => reject(new Error(`${file.pathname} did not answer '${question}' in time`))),
          limitMilliseconds,
        );
        child.on('message', onMessage).on('close', onClose);
        const sent: Question = { id, question, details };
        child.send(sent);
      });
    },
  };
}

/** The other side: answers questions, and ends when the parent disconnects. */
export function answerQuestions(
  answers: Readonly<Record<string, (details: never) => Promise<unknown>>>,
): void {
  process.on('message', ({ id, question, details }: Question) => {
    const answer = answers[question] ?? (() => Promise.reject(new Error(`no handler for '${question}'`)));
    // What was sent is what this question takes.
    answer(details as never).then(
      (result) => process.send?.({ id, result }),
      (error: unknown) =>
        process.send?.({ id, failure: error instanceof Error ? (error.stack ?? '') : String(error) }),
    );
  });
  process.on('disconnect', () => process.exit(0));
  // Ctrl-C reaches every process of a terminal; the parent decides when to stop.
  process.on('SIGINT', () => undefined);
}
