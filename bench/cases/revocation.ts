import type { Case } from '../bench.ts';
import { percentile } from '../measure/statistics.ts';
import { formatNumber } from '../report/row.ts';
import type { Api } from '../servers/api.ts';
import { startProduct } from '../servers/product.ts';

const replicas = 3;
const revocationsPerRound = 50;
const requestsAtOnce = 4;

/** What one revocation showed, on one replica. */
interface Seen {
  /** From the answer of the revocation to the answer of the first request that was refused. */
  readonly milliseconds: number;
  /** Requests that began after the answer of the revocation and were accepted. There must be none. */
  readonly acceptedLater: number;
}

export const revocation: Case = {
  name: 'revocation',
  title: 'from the revocation of a token to its first refusal, on three replicas that remember it (postgres)',
  async run(bench) {
    const postgres = await bench.postgres();
    const databaseUrl = await postgres.createScratchDatabase(bench.closing);
    const apis: Api[] = [];
    for (let count = 0; count < replicas; count += 1) {
      apis.push((await startProduct(bench, { databaseUrl })).api);
    }
    const [first] = apis;
    if (first === undefined) throw new Error('a replica was started');
    const project = await first.post<{ id: string }>('/v1/projects', { name: 'bench' });
    const seen: Seen[] = [];
    for (let round = 1; round <= bench.options.rounds; round += 1) {
      bench.say(`round ${round} of ${bench.options.rounds}`);
      for (let count = 0; count < revocationsPerRound; count += 1) {
        seen.push(...(await revokeInUse(first, apis, project.id)));
      }
    }
    const acceptedLater = seen.reduce((sum, one) => sum + one.acceptedLater, 0);
    if (acceptedLater > 0) throw new Error(`${acceptedLater} requests were accepted after a revocation`);
    const times = seen.map(({ milliseconds }) => milliseconds);
    return [
      {
        case: this.name,
        what: 'from the answer of a revocation to the first refusal on each of three replicas, p99',
        figure: {
          median: percentile(times, 0.99),
          least: Math.min(...times),
          most: Math.max(...times),
        },
        unit: 'ms',
        measured: `p50 ${formatNumber(percentile(times, 0.5))} ms of ${times.length}; no request that began after the answer was accepted`,
        bar: { atMost: 1_000 },
      },
    ];
  },
};

/** Revokes a token on the first replica while all of them are asked with it without a pause. */
async function revokeInUse(first: Api, apis: readonly Api[], projectID: string): Promise<Seen[]> {
  const { id, token } = await first.post<{ id: string; token: string }>(`/v1/projects/${projectID}/tokens`, {
    name: 'bench',
  });
  const revoked: { at: number | undefined } = { at: undefined };
  for (const api of apis) await requireAccepted(api, token);
  const asking = apis.map((api) => askUntilRefused(api, token, revoked));
  await revoke(first, id);
  revoked.at = performance.now();
  return Promise.all(asking);
}

async function askUntilRefused(
  api: Api,
  token: string,
  revoked: { readonly at: number | undefined },
): Promise<Seen> {
  let acceptedLater = 0;
  let refusedAt: number | undefined;
  const ask = async (): Promise<void> => {
    while (refusedAt === undefined) {
      const isLater = revoked.at !== undefined;
      const isAccepted = await isTaken(api, token);
      if (!isAccepted) refusedAt ??= performance.now();
      else if (isLater) acceptedLater += 1;
    }
  };
  await Promise.all(Array.from({ length: requestsAtOnce }, ask));
  const answeredAt = revoked.at ?? Number.POSITIVE_INFINITY;
  // A refusal may be there before the answer of the revocation.
  return { milliseconds: Math.max(0, (refusedAt ?? answeredAt) - answeredAt), acceptedLater };
}

async function requireAccepted(api: Api, token: string): Promise<void> {
  if (!(await isTaken(api, token))) throw new Error('a new token was refused');
}

async function isTaken(api: Api, token: string): Promise<boolean> {
  const response = await fetch(new URL('/v1/me', api.url), { headers: { 'x-project-token': token } });
  await response.arrayBuffer();
  if (response.ok) return true;
  if (response.status === 401) return false;
  throw new Error(`GET /v1/me was answered with ${response.status}`);
}

async function revoke({ url, authorization }: Api, id: string): Promise<void> {
  const response = await fetch(new URL(`/v1/project_tokens/${id}`, url), {
    method: 'DELETE',
    headers: { authorization },
  });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`DELETE /v1/project_tokens/${id} was answered with ${response.status}`);
}
