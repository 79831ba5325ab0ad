import { readFileSync } from 'node:fs';
import type { RegisteredAgent } from '@muster/contract';
import { expect } from 'vitest';
import type { Answer, TestApp, TestProject } from '../start-test-app.ts';

/** What a stock Fluent Bit 5.1.1 sent when it registered. */
const recorded = JSON.parse(
  readFileSync(new URL('../../fleet/fleets/recorded/register-fleet.json', import.meta.url), 'utf8'),
) as { readonly rawConfig: string; readonly fleetID: string; readonly machineID: string };

interface StockAgentOptions {
  readonly project: TestProject;
  readonly machineID: string;
  /** Absent: that of the recorded one. */
  readonly name?: string;
  /** How many seconds its clock is ahead of UTC. */
  readonly zoneSeconds?: number;
}

/** What the agent reaches: the service, or a core instance of it. */
export type ReachedByAgents = Pick<TestApp, 'request' | 'clock'>;

/** Speaks as a stock Fluent Bit does that gets its configuration from a fleet, in the order in which it does. */
export class StockAgent {
  readonly #app: ReachedByAgents;
  readonly #options: StockAgentOptions;
  fleetID = '';
  agent: { id: string; token: string } | undefined;
  /** The version that it has downloaded last, as it says it. */
  version = -1;
  config = '';
  files: { name: string; contents: string }[] = [];

  constructor(app: ReachedByAgents, options: StockAgentOptions) {
    this.#app = app;
    this.#options = options;
  }

  /** With `fleet_name`: it searches, takes the first result, downloads, reloads, and registers only then. */
  async startByName(name: string): Promise<void> {
    const { project } = this.#options;
    const answer = await this.#ask<{ id: string }[]>(
      `/v1/search?project_id=${project.id}&resource=fleet&term=${name}&exact=true`,
    );
    expect(answer.status).toBe(200);
    this.fleetID = answer.body[0]?.id ?? '';
    await this.poll();
    await this.reload();
  }

  /** With `fleet_id`: it registers with its own configuration first. */
  async startByID(fleetID: string): Promise<void> {
    this.fleetID = fleetID;
    await this.#register('[INPUT]\n    name dummy.0\n');
    await this.poll();
    await this.reload();
  }

  /** True if it has downloaded another configuration. */
  async poll(): Promise<boolean> {
    const answer = await this.#ask(`/v1/fleets/${this.fleetID}/config?format=ini&config_format=ini`);
    expect(answer.status).toBe(200);
    const date = /^\w{3}, (\d\d \w{3} \d{4} \d\d:\d\d:\d\d) GMT$/.exec(answer.headers['last-modified'] ?? '');
    // It takes the date as one in its own zone.
    const version = Date.parse(`${date?.[1]} UTC`) / 1_000 - (this.#options.zoneSeconds ?? 0);
    if (version <= this.version) return false;
    const files = await this.#ask<{ name: string; contents: string }[]>(`/v1/fleets/${this.fleetID}/files`);
    this.version = version;
    this.config = answer.text;
    this.files = files.body;
    return true;
  }

  /** It runs what it has downloaded, and says so. */
  async reload(pipeline = this.config): Promise<void> {
    this.#app.clock.advance(5_000);
    await this.#register(asReported(pipeline));
  }

  async #register(rawConfig: string): Promise<void> {
    const { project, machineID } = this.#options;
    const own = recorded.rawConfig
      .replaceAll(recorded.fleetID, this.fleetID)
      .replaceAll(recorded.machineID, machineID);
    const hidden = own.slice(
      own.indexOf('[INPUT]\n    name fluentbit_metrics.1'),
      own.indexOf('[OUTPUT]\n    name  null.0'),
    );
    const body = {
      ...recorded,
      name: this.#options.name ?? 'web-02',
      machineID,
      fleetID: this.fleetID,
      rawConfig: `${rawConfig}\n${hidden}${own.slice(own.indexOf('[OUTPUT]\n    name  calyptia.1'))}`,
    };
    const known = this.agent;
    const answer =
      known === undefined
        ? await this.#app.request<RegisteredAgent>('POST', '/v1/agents', {
            as: { project: project.token },
            body,
          })
        : await this.#app.request<RegisteredAgent>('PATCH', `/v1/agents/${known.id}`, {
            as: { agent: known.token },
            body,
          });
    expect(answer.status).toBe(known === undefined ? 201 : 204);
    if (known === undefined) this.agent = { id: answer.body.id, token: answer.body.token };
  }

  #ask<Body>(url: string): Promise<Answer<Body>> {
    return this.#app.request<Body>('GET', url, {
      as: { project: this.#options.project.token },
      headers: { 'fleet-config-version': String(this.version) },
    });
  }
}

/** A configuration as the agent prints it: names of plugins are numbered. */
function asReported(pipeline: string): string {
  const numbers = new Map<string, number>();
  return pipeline.replaceAll(/^(\s+name\s+)(\S+)$/gim, (_, start: string, plugin: string) => {
    const number = numbers.get(plugin) ?? 0;
    numbers.set(plugin, number + 1);
    return `${start.toLowerCase()}${plugin}.${number}`;
  });
}
