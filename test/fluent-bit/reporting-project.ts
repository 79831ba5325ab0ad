import type { AgentError } from '@muster/contract';
import { type ListeningApp, startListeningApp } from '../robustness/listening-app.ts';
import { AgentConnection } from '../wire/agent-connection.ts';
import type { Section } from './read-configuration.ts';
import { type Network, type SentRequest, SimulatedAgent } from './simulated-agent.ts';

/** A project of a real service, and simulated agents that report to it. */
export class ReportingProject {
  readonly app: ListeningApp;

  private constructor(app: ListeningApp) {
    this.app = app;
  }

  static async open(): Promise<ReportingProject> {
    return new ReportingProject(await startListeningApp());
  }

  startAgent(
    configuration: readonly Section[],
    hostName: string,
    { token = this.app.project.token, network }: { token?: string; network?: Network } = {},
  ): Promise<SimulatedAgent> {
    const environment = { HOSTNAME: hostName, PROJECT_TOKEN: token };
    return SimulatedAgent.start(configuration, environment, network ?? ((request) => this.post(request)));
  }

  /** As `muster.example.com:443` would answer, if the service listened there. */
  async post({ path, headers, body }: SentRequest): Promise<{ status: number; body: string }> {
    const connection = await AgentConnection.open(this.app.port);
    const reply = await connection.request({
      method: 'POST',
      path,
      contentType: 'application/json',
      headers: { 'User-Agent': 'Fluent-Bit', ...headers, Connection: 'keep-alive' },
      body: Buffer.from(body),
    });
    connection.close();
    return { status: reply.status, body: reply.body };
  }

  /** Everything stored for a machine, the oldest first. */
  async errorsOf(hostName: string): Promise<AgentError[]> {
    const { test, project } = this.app;
    const as = { access: test.admin };
    const agents = await test.request<{ id: string; machineID: string }[]>(
      'GET',
      `/v1/projects/${project.id}/agents`,
      { as },
    );
    const agent = agents.body.find(({ machineID }) => machineID === hostName);
    if (agent === undefined) return [];
    const errors = await test.request<AgentError[]>('GET', `/v1/agents/${agent.id}/errors?last=1000`, { as });
    return errors.body.reverse();
  }

  /** Texts with how often each was reported. */
  async rowsOf(hostName: string): Promise<[text: string, occurrences: number][]> {
    return (await this.errorsOf(hostName)).map(({ error, occurrences }) => [error, occurrences]);
  }

  close(): Promise<void> {
    return this.app.test.close();
  }
}
