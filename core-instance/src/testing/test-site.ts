import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type CoreInstanceOptions,
  type RunningCoreInstance,
  startCoreInstance,
} from '../start-core-instance.ts';
import { CentreDouble } from './centre-double.ts';

interface SiteAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Parsed if it is JSON. */
  readonly body: unknown;
}

/** A core instance in this process, the double of its centre, and what it logs. */
export class TestSite {
  readonly folder = mkdtempSync(join(tmpdir(), 'muster-site-'));
  readonly logs: string[] = [];
  readonly centre: CentreDouble;
  #site: RunningCoreInstance | undefined;

  private constructor(centre: CentreDouble) {
    this.centre = centre;
  }

  /** Not started yet. */
  static async create(): Promise<TestSite> {
    const centre = await CentreDouble.start();
    centre.credentials = [centre.credentialOf(centre.projectToken)];
    return new TestSite(centre);
  }

  async start(options: Partial<CoreInstanceOptions> = {}): Promise<RunningCoreInstance> {
    const note = (message: string): void => {
      this.logs.push(message);
    };
    this.#site = await startCoreInstance({
      url: this.centre.url,
      stateDirectory: this.folder,
      host: '127.0.0.1',
      port: 0,
      name: 'plant-7',
      version: '1.2.3',
      readProjectToken: async () => this.centre.projectToken,
      env: {},
      log: { info: note, warn: note, error: note },
      random: () => 0,
      forwarding: { flushMilliseconds: 5 },
      ...options,
    });
    return this.#site;
  }

  /** As agents reach it. */
  get url(): string {
    return `http://127.0.0.1:${this.#site?.port}`;
  }

  async request(
    method: string,
    path: string,
    {
      token = this.centre.projectToken,
      headers = {},
      body,
    }: {
      readonly token?: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: unknown;
    } = {},
  ): Promise<SiteAnswer> {
    const kind = token.startsWith('mst_a_') ? 'X-Agent-Token' : 'X-Project-Token';
    const answer = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        [kind]: token,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.includes('json') === true;
    return {
      status: answer.status,
      headers: answer.headers,
      text,
      body: isJson ? JSON.parse(text) : undefined,
    };
  }

  report(machineID: string, error: string): Promise<SiteAnswer> {
    return this.request('POST', `/v1/machines/${machineID}/errors`, { body: { error } });
  }

  async stop(): Promise<void> {
    const site = this.#site;
    this.#site = undefined;
    await site?.stop();
  }

  async close(): Promise<void> {
    await this.stop();
    this.centre.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
