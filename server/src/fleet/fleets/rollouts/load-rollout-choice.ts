import type { Kysely } from 'kysely';
import type { Tables } from '../../../foundation/database/tables.ts';
import { currentVersionForAll, type VersionChoice } from '../version-choice.ts';
import { RolloutChoice } from './rollout-choice.ts';
import { stagesOf } from './rollout-stages.ts';
import { findNewestRollout, listStages, type RolloutRow } from './rollout-store.ts';

/** What the newest rollout of a fleet says about who gets which version. */
export async function loadRolloutChoice(db: Kysely<Tables>, fleetID: string): Promise<VersionChoice> {
  const row = await findNewestRollout(db, fleetID);
  if (row === undefined || row.state === 'completed' || row.state === 'superseded')
    return currentVersionForAll;
  const { fleet_id, to_version_id, to_seconds, from_version_id, back_seconds, started_at } = row;
  return new RolloutChoice({
    to: { fleetID: fleet_id, versionID: to_version_id, seconds: to_seconds, publishedAt: started_at },
    back:
      back_seconds === null
        ? undefined
        : { fleetID: fleet_id, versionID: from_version_id, seconds: back_seconds, publishedAt: started_at },
    openStage: openStageOf(row),
    lastStage: stagesOf(row).length - 1,
    stageOf: await listStages(db, row.id),
  });
}

function openStageOf({ state, held_until: heldUntil, stage }: RolloutRow): number {
  return state === 'running' && heldUntil === null ? stage : -1;
}
