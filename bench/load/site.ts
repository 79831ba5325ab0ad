import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Api } from '../servers/api.ts';
import type { ProjectFleet } from '../servers/fleet.ts';

type Item = { readonly kind: string } & Readonly<Record<string, unknown>>;

const compress = promisify(gzip);

/** Sends batches as a core instance does. */
export class Site {
  readonly #url: string;
  readonly #token: string;
  /** The project token of its agents. */
  readonly #by: { readonly tokenID: string };
  #sequence = 0;

  private constructor(url: string, token: string, tokenID: string) {
    this.#url = url;
    this.#token = token;
    this.#by = { tokenID };
  }

  static async join(api: Api, { projectID, credential }: ProjectFleet): Promise<Site> {
    const maker = await api.post<{ token: string }>(`/v1/projects/${projectID}/tokens`, {
      name: 'site',
      permissions: ['create:core_instance'],
    });
    const headers = { 'x-project-token': maker.token };
    const { token } = await api.post<{ token: string }>('/v1/core_instances', {}, headers);
    const own = await fetch(new URL('/v1/project_tokens/self', api.url), {
      headers: { [credential.name]: credential.value },
    });
    const { id } = (await own.json()) as { id: string }; // as the contract says
    return new Site(api.url, token, id);
  }

  heartbeat(agentID: string): Item {
    return { kind: 'heartbeat', at: Date.now(), by: this.#by, agentID, heartbeat: {} };
  }

  errors(agentID: string, texts: readonly string[]): Item {
    const at = Date.now();
    const errors = texts.map((error) => ({ error, firstAt: at, lastAt: at, count: 1 }));
    return { kind: 'errors', by: this.#by, agentID, errors };
  }

  async send(items: readonly Item[]): Promise<void> {
    this.#sequence += 1;
    const now = Date.now();
    const status = {
      version: '0.0.0',
      startedAt: now,
      spooledCount: items.length,
      spooledBytes: 0,
      oldestSpooledAt: now,
      lostCount: 0,
      lastLossAt: null,
      sentAt: now,
    };
    const batch = { protocol: 1, sequence: this.#sequence, status, items };
    const response = await fetch(new URL('/v1/core_instances/self/batches', this.#url), {
      method: 'POST',
      headers: {
        'x-core-instance-token': this.#token,
        'content-type': 'application/json',
        'content-encoding': 'gzip',
      },
      body: await compress(JSON.stringify(batch)),
    });
    const { refused } = (await response.json()) as { refused?: readonly unknown[] }; // as the contract says
    if (!response.ok || refused?.length !== 0)
      throw new Error(`a batch was answered with ${response.status}: ${JSON.stringify(refused?.[0])}`);
  }
}
