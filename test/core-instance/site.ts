import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunningCoreInstance } from '../../core-instance/src/start-core-instance.ts';
import type { ReachedByAgents } from '../../server/src/testing/calls/stock-agent.ts';
import type { Answer, RequestOptions } from '../../server/src/testing/start-test-app.ts';
import type { ListeningApp } from '../robustness/listening-app.ts';
import { Line } from './line.ts';
import { startSiteBeside } from './site-beside.ts';

/** A core instance behind a line, as agents reach it. */
export class Site implements ReachedByAgents {
  readonly folder = mkdtempSync(join(tmpdir(), 'muster-site-'));
  readonly clock: ListeningApp['test']['clock'];
  readonly line: Line;
  readonly #centre: ListeningApp;
  readonly #name: string;
  #running: RunningCoreInstance | undefined;

  private constructor(centre: ListeningApp, line: Line, name: string) {
    this.#centre = centre;
    this.clock = centre.test.clock;
    this.line = line;
    this.#name = name;
  }

  /** @param onOpened gets what closes it */
  static async open(
    centre: ListeningApp,
    onOpened: (close: () => Promise<void>) => void,
    name = 'plant-7',
  ): Promise<Site> {
    const line = await Line.to(centre.port);
    const site = new Site(centre, line, name);
    await site.start();
    onOpened(async () => {
      line.close();
      await site.stop();
      rmSync(site.folder, { recursive: true });
    });
    return site;
  }

  async start(): Promise<void> {
    this.#running = await startSiteBeside(this.#centre, {
      url: new URL(this.line.url),
      stateDirectory: this.folder,
      name: this.#name,
      clock: () => this.clock.now(),
      monotonic: () => this.clock.now(),
      forwarding: { flushMilliseconds: 5 },
    });
  }

  async stop(): Promise<void> {
    await this.#running?.stop();
    this.#running = undefined;
  }

  request: ReachedByAgents['request'] = async <Body>(
    method: string,
    path: string,
    { as, headers = {}, body }: RequestOptions = {},
  ): Promise<Answer<Body>> => {
    const credential: Record<string, string> = {};
    if (typeof as === 'object' && 'project' in as) credential['x-project-token'] = as.project;
    if (typeof as === 'object' && 'agent' in as) credential['x-agent-token'] = as.agent;
    const answer = await fetch(`http://127.0.0.1:${this.#running?.port}${path}`, {
      method,
      headers: {
        ...credential,
        ...headers,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.includes('json') === true;
    return {
      status: answer.status,
      headers: Object.fromEntries(answer.headers),
      text,
      body: isJson ? JSON.parse(text) : undefined,
    } as Answer<Body>; // as much of one as an agent reads
  };

  get port(): number {
    return this.#running?.port ?? 0;
  }

  ask<Body>(path: string, headers: Record<string, string> = {}): Promise<Answer<Body>> {
    return this.request<Body>('GET', path, { as: { project: this.#centre.project.token }, headers });
  }
}
