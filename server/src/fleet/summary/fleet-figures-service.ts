import { expiringWithinDays } from '@muster/contract';
import type { Clock } from '../../foundation/clock.ts';
import type { Database } from '../../foundation/database/database.ts';
import { countExpiringTokens, listFigures } from './fleet-figures-store.ts';

interface FleetFiguresOptions {
  readonly database: Database;
  readonly clock: Clock;
}

/** Projects with series of their own in `/metrics`. */
const maxProjects = 100;
const expiringMilliseconds = expiringWithinDays * 86_400_000;

/** The counts of all projects as they were last counted, for `/metrics`. */
export async function readFleetFigures({ database: { read }, clock }: FleetFiguresOptions) {
  const now = clock();
  const [figures, tokens] = await Promise.all([
    listFigures(read, maxProjects),
    countExpiringTokens(read, { from: now, until: now + expiringMilliseconds }),
  ]);
  const named = new Set(figures.map(({ project }) => project));
  const ofOthers = [...tokens].reduce((sum, [project, count]) => (named.has(project) ? sum : sum + count), 0);
  const shown =
    named.has('other') || ofOthers === 0 ? figures : [...figures, { ...nothing, project: 'other' }];
  return shown.map(
    ({ project, healthy, unhealthy, offline, stopped, unknown, current, superseded, groups }) => ({
      project,
      agents: { healthy, unhealthy, offline, stopped, unknown },
      openErrors: { current, superseded },
      openGroups: groups,
      expiringTokens: project === 'other' ? ofOthers : (tokens.get(project) ?? 0),
    }),
  );
}

const nothing = {
  healthy: 0,
  unhealthy: 0,
  offline: 0,
  stopped: 0,
  unknown: 0,
  current: 0,
  superseded: 0,
  groups: 0,
};
