import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import { FairSlots } from '../../../foundation/scheduling/fair-slots.ts';
import type { AllowedHosts } from './allowed-hosts.ts';
import type { ResolveHost } from './post.ts';

const usualQueryMilliseconds = 1_500;
const queryTries = 2;

/** What tests set otherwise. */
interface ResolveHostOptions {
  /** The name servers, with their ports. Absent: those of the system. */
  readonly servers?: readonly string[];
  /** The resolver of the system. */
  readonly askSystem?: (host: string) => Promise<LookupAddress[]>;
  /** How long a name server has for its answer to the first try. */
  readonly queryMilliseconds?: number;
}

/**
 * Resolves hosts that people have chosen. The resolver of the system takes a thread of the process until it is done, and sign-in and the database need
 * these threads too: a slow name server of somebody would stop them. So it is asked at once only for hosts that the operator allows. Others are asked
 * of the name servers directly, which takes no thread and ends with the signal, and of the resolver of the system only if these give no address, one at a
 * time, by turns of projects: it also knows names of /etc/hosts and of search domains.
 */
export function createResolveHost(
  allowed: Pick<AllowedHosts, 'names'>,
  {
    servers,
    askSystem = (host) => lookup(host, { all: true }),
    queryMilliseconds = usualQueryMilliseconds,
  }: ResolveHostOptions = {},
): ResolveHost {
  const slots = new FairSlots({ count: 1, maxWaitMilliseconds: 3 * queryMilliseconds });
  return async (host, signal, projectID) => {
    if (allowed.names(host)) return askSystem(host);
    try {
      return await query(host, signal, { servers, queryMilliseconds });
    } catch (error) {
      if (signal.aborted) throw error;
      const giveBack = await slots.take(projectID, signal);
      if (giveBack === 'none') throw error;
      return askSystem(host).finally(giveBack);
    }
  };
}

async function query(
  host: string,
  signal: AbortSignal,
  { servers, queryMilliseconds }: { servers: readonly string[] | undefined; queryMilliseconds: number },
): Promise<LookupAddress[]> {
  // A new one reads the name servers of the system again.
  const resolver = new Resolver({ timeout: queryMilliseconds, tries: queryTries });
  if (servers !== undefined) resolver.setServers(servers);
  const cancel = (): void => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const found = [
      ...(four.status === 'fulfilled' ? four.value.map((address) => ({ address, family: 4 })) : []),
      ...(six.status === 'fulfilled' ? six.value.map((address) => ({ address, family: 6 })) : []),
    ];
    if (found.length === 0 && four.status === 'rejected') throw four.reason;
    return found;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}
