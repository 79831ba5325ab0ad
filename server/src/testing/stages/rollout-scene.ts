import type { Rollout, StartedRollout } from '@muster/contract';
import { StockAgent } from '../calls/stock-agent.ts';
import type { Answer, TestApp, TestProject } from '../start-test-app.ts';

export const soakSeconds = 120;

const configOf = (number: number): string =>
  `[INPUT]\n    Name cpu\n    Tag version${number}\n\n[OUTPUT]\n    Name  stdout\n    Match *\n`;

/** A fleet with agents that run its first version, and a second version that nobody gets yet. */
export class RolloutScene {
  /** What answers; another one after a restart. */
  app: TestApp;
  project: TestProject = { id: '', token: '' } as TestProject;
  fleetID = '';
  versionID = '';
  readonly agents: StockAgent[] = [];
  /** Of all replicas. Absent: of the app. */
  readonly #admin: string | undefined;

  constructor(app: TestApp, admin?: string) {
    this.app = app;
    this.#admin = admin;
  }

  async start(count: number): Promise<this> {
    this.project = await this.app.createProject();
    const { body: fleet } = await this.call<{ id: string }>(
      'POST',
      `/v1/projects/${this.project.id}/fleets`,
      {
        name: 'edge',
        rawConfig: configOf(1),
        reporting: 'off',
      },
    );
    this.fleetID = fleet.id;
    // Agents go on to ask the same address after a restart.
    const reached: TestApp = {
      ...this.app,
      request: (...asked: Parameters<TestApp['request']>) => this.app.request(...asked),
    } as TestApp; // only the method that is asked for is another one
    for (let number = 1; number <= count; number += 1) {
      const agent = new StockAgent(reached, { project: this.project, machineID: `machine-${number}` });
      await agent.startByName('edge');
      this.agents.push(agent);
    }
    await this.poll(1);
    const { body: version } = await this.call<{ id: string }>('POST', `/v1/fleets/${fleet.id}/versions`, {
      rawConfig: configOf(2),
    });
    this.versionID = version.id;
    return this;
  }

  call<Body>(method: string, path: string, body?: object): Promise<Answer<Body>> {
    return this.app.request<Body>(method, path, {
      as: { access: this.#admin ?? this.app.admin },
      ...(body && { body }),
    });
  }

  /** To one agent, to half of them, and to all; returns the id of the rollout. */
  async deploy(more: object = {}): Promise<string> {
    const { body } = await this.call<StartedRollout>('POST', `/v1/fleets/${this.fleetID}/rollouts`, {
      versionID: this.versionID,
      reason: 'a new output',
      stages: [
        { agents: 1, soakSeconds },
        { agents: '50%', soakSeconds },
        { agents: '100%', soakSeconds },
      ],
      ...more,
    });
    return body.id ?? '';
  }

  /** Each time, a quarter of a minute passes, in which each agent asks once and runs what it has got. */
  async poll(times: number, look = () => this.app.app.runRollouts()): Promise<void> {
    for (let time = 0; time < times; time += 1) {
      this.app.clock.advance(15_000);
      const updated = [];
      for (const agent of this.agents) if (await agent.poll()) updated.push(agent);
      for (const agent of updated) await agent.reload();
      await look();
    }
  }

  /** The agents that have the second version. */
  get updated(): readonly StockAgent[] {
    return this.agents.filter(({ config }) => config === configOf(2));
  }

  get configs(): readonly string[] {
    return this.agents.map(({ config }) => config);
  }

  async read(id: string): Promise<Rollout> {
    return (await this.call<Rollout>('GET', `/v1/rollouts/${id}`)).body;
  }

  async report({ agent }: StockAgent, error: string): Promise<number> {
    const { status } = await this.app.request('POST', `/v1/agents/${agent?.id}/errors`, {
      as: { agent: agent?.token ?? '' },
      body: { error },
    });
    return status;
  }

  /** What the audit log says of rollouts, oldest first. */
  async recorded(): Promise<string[]> {
    const { body } = await this.call<{ action: string }[]>(
      'GET',
      `/v1/projects/${this.project.id}/audit_log`,
    );
    return body.flatMap(({ action }) => (action.startsWith('rollout.') ? [action] : [])).reverse();
  }
}

/** A configuration of the scene by the number of its version. */
export const versionedConfig = configOf;
