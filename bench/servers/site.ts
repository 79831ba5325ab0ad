import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { startFlags, startVariables } from '@muster/server/start-flags';
import { SiteProcess } from '../../test/core-instance/site-process.ts';
import type { Bench } from '../bench.ts';
import { type Product, profileFlags } from './product.ts';

export interface Site {
  readonly url: string;
  readonly pid: number;
  /** From the start of the process to its first successful readiness check. */
  readonly readyMilliseconds: number;
  readonly stateDirectory: string;
  end(signal: NodeJS.Signals): Promise<unknown>;
}

interface SiteOptions {
  /** Of the project that it joins. */
  readonly projectID: string;
  /** Where it reaches the service. Absent: directly. */
  readonly centreUrl?: string;
}

/** The built `muster core-instance start`, with its service, and with the flags that packages and images give it. */
export async function joinSite(
  bench: Bench,
  { api, url }: Product,
  { projectID, centreUrl = url }: SiteOptions,
): Promise<Site> {
  const { token } = await api.post<{ token: string }>(`/v1/projects/${projectID}/tokens`, {
    name: 'site',
    permissions: ['create:core_instance'],
  });
  const stateDirectory = mkdtempSync(join(bench.scratchDirectory, 'site-'));
  return startSite(bench, { centreUrl, stateDirectory, token });
}

/** The same, with a state folder of one that has joined. */
export async function startSite(
  bench: Bench,
  { centreUrl, stateDirectory, token }: { centreUrl: string; stateDirectory: string; token: string },
): Promise<Site> {
  const started = performance.now();
  const site = new SiteProcess({
    url: centreUrl,
    stateDirectory,
    token,
    nodeFlags: [...profileFlags(bench), ...startFlags],
    env: startVariables,
  });
  bench.closing.add(async () => {
    await site.end(bench.profileDirectory === undefined ? 'SIGKILL' : 'SIGTERM');
  });
  const url = await site.url();
  while ((await fetch(`${url}/readyz`)).status !== 200)
    await new Promise((resolve) => setTimeout(resolve, 2));
  const readyMilliseconds = performance.now() - started;
  return { url, pid: site.pid, readyMilliseconds, stateDirectory, end: (signal) => site.end(signal) };
}
