import type { CreateToken, UpdateToken } from '@muster/contract';
import { AllowedNetworks, readNetwork } from '@muster/http/allowed-networks';
import type { ReportRates } from '@muster/http/limits/report-rate';
import type { TokenLimits } from '../../foundation/credentials/principal.ts';
import { invalidBody, Refusal } from '../../foundation/refusal.ts';
import type { LimitColumns } from './token-store.ts';

/** Absent columns stay as they are. */
export type LimitChange = Partial<Omit<LimitColumns, 'id'>>;

/** @throws Refusal invalid_body, which names the network */
export function planLimits({
  allowedNetworks,
  reportsPerSecond,
}: Pick<CreateToken & UpdateToken, 'allowedNetworks' | 'reportsPerSecond'>): LimitChange {
  return {
    ...(allowedNetworks === undefined ? {} : { allowed_networks: writeNetworks(allowedNetworks) }),
    ...(reportsPerSecond === undefined ? {} : { reports_per_second: reportsPerSecond }),
  };
}

/** A project token changes no limits: one that was stolen could lift its own. @throws Refusal permission_denied */
export function refuseLimitsOf(change: LimitChange): void {
  if (Object.keys(change).length === 0) return;
  throw new Refusal('permission_denied', {
    detail:
      'Only an access token can change allowedNetworks and reportsPerSecond of a token. Leave them out, or use an access token.',
  });
}

/** The limits that apply to a token: its own, and those of the tokens on which it depends. Undefined: none. */
export function readLimits(lineage: readonly LimitColumns[], rates: ReportRates): TokenLimits | undefined {
  const lists = listsOfNetworks(lineage);
  const limiting = lineage.flatMap(({ id, reports_per_second: perSecond }) =>
    perSecond === null ? [] : [rates.of(id, perSecond)],
  );
  if (lists.length === 0 && limiting.length === 0) return undefined;
  return { networks: lists.length === 0 ? undefined : new AllowedNetworks(lists), rates: limiting };
}

/** The networks from which a token may be used: its own, and those of the tokens on which it depends. */
export function listsOfNetworks(lineage: readonly Pick<LimitColumns, 'allowed_networks'>[]): string[][] {
  return lineage.flatMap(({ allowed_networks: list }) => (list === null ? [] : [parseNetworks(list)]));
}

export function parseNetworks(column: string): string[] {
  return JSON.parse(column) as string[]; // only this feature writes it
}

function writeNetworks(texts: readonly string[] | null): string | null {
  if (texts === null) return null;
  const networks = texts.map((text) => readNetwork(text));
  const fields = networks.flatMap((network, index) =>
    network === undefined
      ? [
          {
            path: `/allowedNetworks/${index}`,
            message: 'must be a network such as 10.0.0.0/8 or 2001:db8::/32, or an address',
          },
        ]
      : [],
  );
  if (fields.length > 0) throw invalidBody(fields);
  return JSON.stringify([...new Set(networks)]);
}
