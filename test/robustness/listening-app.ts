import { randomBytes } from 'node:crypto';
import {
  startTestApp,
  type TestApp,
  type TestAppOptions,
  type TestProject,
} from '../../server/src/testing/start-test-app.ts';

/** The real app on a real port, with a project and an agent in it. */
export interface ListeningApp {
  readonly test: TestApp;
  readonly port: number;
  readonly project: TestProject;
  readonly agent: { readonly id: string; readonly token: string };
  /** Path of the route to which agents report. */
  readonly reportPath: string;
}

/** At the default log level, so that reports take the shortcut as in production. */
export async function startListeningApp(options: TestAppOptions = {}): Promise<ListeningApp> {
  const test = await startTestApp({ logLevel: 'info', ...options });
  const address = await test.app.http.listen({ host: '127.0.0.1', port: 0 });
  const project = await test.createProject();
  const agent = await test.registerAgent(project, randomBytes(8).toString('hex'));
  return {
    test,
    port: Number(new URL(address).port),
    project,
    agent,
    reportPath: `/v1/agents/${agent.id}/errors`,
  };
}

/** Log lines about faults of the service itself. */
export function faultsIn(logs: readonly string[]): string[] {
  const errorLevel = 50;
  return logs.filter((line) => (JSON.parse(line) as { level: number }).level >= errorLevel); // pino's own format
}
