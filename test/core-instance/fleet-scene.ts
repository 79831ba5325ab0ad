import type { AgentWithConfig } from '@muster/contract';
import { type ReachedByAgents, StockAgent } from '../../server/src/testing/calls/stock-agent.ts';
import { eventually } from '../../server/src/testing/eventually.ts';
import type { Answer, TestAppOptions } from '../../server/src/testing/start-test-app.ts';
import { type ListeningApp, startListeningApp } from '../robustness/listening-app.ts';
import { Site } from './site.ts';

export const configOf = (number: number): string =>
  `[INPUT]\n    Name cpu\n    Tag version${number}\n\n[OUTPUT]\n    Name  stdout\n    Match *\n`;

export const versionOf = ({ config }: StockAgent): number => Number(/Tag version(\d)/.exec(config)?.[1]);

/** A service with the fleet `edge`, and sites in front of it. */
export class FleetScene {
  readonly centre: ListeningApp;
  readonly fleetID: string;
  readonly #opened: (() => Promise<void>)[] = [];

  private constructor(centre: ListeningApp, fleetID: string) {
    this.centre = centre;
    this.fleetID = fleetID;
  }

  static async start(config: NonNullable<TestAppOptions['config']> = {}): Promise<FleetScene> {
    const centre = await startListeningApp({ config });
    const { body } = await centre.test.request<{ id: string }>(
      'POST',
      `/v1/projects/${centre.project.id}/fleets`,
      { as: { access: centre.test.admin }, body: { name: 'edge', rawConfig: configOf(1) } },
    );
    return new FleetScene(centre, body.id);
  }

  async close(): Promise<void> {
    for (const close of this.#opened.splice(0).reverse()) await close();
    await this.centre.test.close();
  }

  call<Body>(method: string, path: string, body?: object): Promise<Answer<Body>> {
    const { test } = this.centre;
    return test.request<Body>(method, path, { as: { access: test.admin }, ...(body && { body }) });
  }

  openSite(name?: string): Promise<Site> {
    return Site.open(this.centre, (close) => this.#opened.push(close), name);
  }

  async startAgent(at: ReachedByAgents, machineID: string, zoneSeconds = 0): Promise<StockAgent> {
    const agent = new StockAgent(at, { project: this.centre.project, machineID, zoneSeconds });
    await agent.startByName('edge');
    return agent;
  }

  /** Time passes, and each agent asks and runs what it has got. */
  async poll(agents: readonly StockAgent[], times = 1): Promise<void> {
    for (let time = 0; time < times; time += 1) {
      this.centre.test.clock.advance(30_000);
      for (const agent of agents) if (await agent.poll()) await agent.reload();
    }
  }

  /** Agents poll until the centre says so: what is told, and what is heard of it, takes its time on the line. */
  async pollUntil(agents: readonly StockAgent[], check: () => Promise<void> | void): Promise<void> {
    await eventually(async () => {
      await this.poll(agents);
      await check();
    });
  }

  /** The version and state of each agent at the centre, by machine id. */
  async states(): Promise<Record<string, string>> {
    const { body } = await this.call<AgentWithConfig[]>(
      'GET',
      `/v1/projects/${this.centre.project.id}/agents`,
    );
    return Object.fromEntries(
      body.flatMap(({ machineID, fleet }) =>
        fleet == null ? [] : [[machineID, `${fleet.versionNumber} ${fleet.state}`]],
      ),
    );
  }
}
