import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AgentWithConfig } from '@muster/contract';
import { it as base } from 'vitest';
import { callAgents } from '../../server/src/testing/calls/agent-calls.ts';
import { callAgentErrors } from '../../server/src/testing/calls/agent-error-calls.ts';
import { eventually as untilItHolds } from '../../server/src/testing/eventually.ts';
import {
  type MusterOptions,
  MusterProcess,
  type ProcessEnd,
} from '../../server/src/testing/muster-process.ts';
import type { TestApp, TestProject } from '../../server/src/testing/start-test-app.ts';
import { type ListeningApp, startListeningApp } from '../robustness/listening-app.ts';
import { Gate } from './gate.ts';

export const samples = fileURLToPath(new URL('../../samples/fluent-bit/', import.meta.url));

/** The exit and the output of a `muster report`. */
export interface Ended extends ProcessEnd {
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

export interface ReportProcess {
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
}

type StartOptions = Pick<MusterOptions, 'env' | 'input' | 'keepInputOpen' | 'nodeFlags' | 'outputs'>;

/** A project on a server, a gate in front of it, and a folder with a state directory for the wrappers. */
export class ReportBench {
  readonly folder = mkdtempSync(join(tmpdir(), 'muster-report-test-'));
  readonly test: TestApp;
  readonly project: TestProject;
  /** The gate through which the wrappers reach the server. */
  readonly gate: Gate;
  readonly #children: ChildProcess[] = [];

  private constructor(test: TestApp, project: TestProject, gate: Gate) {
    this.test = test;
    this.project = project;
    this.gate = gate;
  }

  static async on({ test, port }: Pick<ListeningApp, 'test' | 'port'>): Promise<ReportBench> {
    return new ReportBench(test, await test.createProject(), await Gate.before(`http://127.0.0.1:${port}`));
  }

  get stateDirectory(): string {
    return join(this.folder, 'muster');
  }

  /** The built `muster report` with these arguments. Waits long at its end, for a busy machine. */
  start(args: readonly string[], { env = {}, ...options }: StartOptions = {}): ReportProcess {
    const report = new MusterProcess(['report', '--exit-wait', '600', ...args], {
      ...options,
      cwd: this.folder,
      env: {
        HOME: this.folder,
        MUSTER_URL: this.gate.url,
        MUSTER_TOKEN: this.project.token,
        XDG_STATE_HOME: this.folder,
        ...env,
      },
    });
    this.#children.push(report.child);
    const { stdout, stderr } = report;
    const ended = report.ended.then((end) => ({ ...end, stdout: stdout.bytes, stderr: stderr.bytes }));
    return { process: report.child, ended };
  }

  run(args: readonly string[], options?: StartOptions): Promise<Ended> {
    return this.start(args, options).ended;
  }

  /** Texts of the open errors of all agents in alphabetical order, each with its number of reports. @param test another one, to which the project has moved */
  async openErrors(test = this.test): Promise<[text: string, occurrences: number][]> {
    const calls = callAgentErrors(test);
    const lists = await Promise.all(
      (await this.agents(test)).map(({ id }) => calls.listOfAgent(id, '?dismissed=false&last=1000')),
    );
    return lists
      .flatMap(({ body }) => body)
      .map(({ error, occurrences }): [string, number] => [error, occurrences])
      .sort(([one, often], [other, oftener]) => (one === other ? often - oftener : one < other ? -1 : 1));
  }

  async agents(test = this.test): Promise<AgentWithConfig[]> {
    const calls = callAgents(test);
    const { body } = await calls.list(this.project.id);
    return Promise.all(body.map(({ id }) => calls.get(id)));
  }

  /** A program with this name that prints a file to stderr and exits with 1, like an agent that fails to start. */
  makeAgent(name: string, output: string): string {
    const path = join(this.folder, name);
    writeFileSync(path, `#!/bin/sh\ncat '${output}' >&2\nexit 1\n`, { mode: 0o755 });
    return path;
  }

  close(): void {
    for (const child of this.#children) child.kill('SIGKILL');
    this.gate.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Repeats the request until the answer is as expected, and returns it. Throws if it never is. */
export function eventually<Value>(
  ask: () => Promise<Value> | Value,
  isRight: (value: Value) => boolean,
): Promise<Value> {
  return untilItHolds(async () => {
    const value = await ask();
    if (!isRight(value)) throw new Error(`not what is waited for: ${JSON.stringify(value)}`);
    return value;
  });
}

/** How a process has ended, as text. */
export function texts({ code, signal, stdout, stderr }: Ended) {
  return { code, signal, stdout: String(stdout), stderr: String(stderr) };
}

interface Fixtures {
  /** Shared by the tests of a file. */
  readonly app: ListeningApp;
  /** Belongs to this test alone, so that tests can run concurrently. */
  readonly bench: ReportBench;
}

/** A test with its own project and state directory. */
export const it = base.extend<Fixtures>({
  app: [
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern what a fixture needs.
    async ({}, use) => {
      const app = await startListeningApp();
      await use(app);
      await app.test.close();
    },
    { scope: 'file' },
  ],
  bench: async ({ app }, use) => {
    const bench = await ReportBench.on(app);
    await use(bench);
    bench.close();
  },
});
