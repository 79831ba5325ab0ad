import type { Clock } from '../../../foundation/clock.ts';
import type { Database } from '../../../foundation/database/database.ts';
import { findPublicationBefore } from '../publication-store.ts';
import { currentVersionForAll, type VersionChoice } from '../version-choice.ts';
import { RolloutChoice } from './rollout-choice.ts';
import { stagesOf } from './rollout-stages.ts';
import {
  findNewestRollout,
  giveShared,
  listPlaces,
  type RolloutRow,
  unseenMilliseconds,
} from './rollout-store.ts';

/** What the newest rollout of a fleet says about who gets which version. */
export async function loadRolloutChoice(
  { read: db, write }: Pick<Database, 'read' | 'write'>,
  clock: Clock,
  fleetID: string,
): Promise<VersionChoice> {
  const row = await findNewestRollout(db, fleetID);
  if (row === undefined || row.state === 'completed' || row.state === 'superseded')
    return currentVersionForAll;
  const { fleet_id, to_version_id, to_seconds, from_version_id, back_seconds, started_at } = row;
  const stages = stagesOf(row);
  return new RolloutChoice(
    {
      to: { fleetID: fleet_id, versionID: to_version_id, seconds: to_seconds, publishedAt: started_at },
      back:
        back_seconds === null
          ? undefined
          : { fleetID: fleet_id, versionID: from_version_id, seconds: back_seconds, publishedAt: started_at },
      before: await findPublicationBefore(db, {
        fleetID: fleet_id,
        versionID: from_version_id,
        seconds: to_seconds,
      }),
      openStage: openStageOf(row),
      lastStage: stages.length - 1,
      pace:
        row.max_per_minute === null
          ? undefined
          : {
              startsAt: row.stage_started_at + row.held_ms + unseenMilliseconds(row, clock()),
              maxPerMinute: row.max_per_minute,
              lastPosition: stages.at(-1)?.agentsCount ?? 0,
              stageAgents: stages[row.stage]?.agentsCount ?? 0,
            },
      shared: {
        given: row.shared_given,
        before: stages.slice(0, row.stage).reduce((sum, { sharedCount }) => sum + sharedCount, 0),
        inStage: stages[row.stage]?.sharedCount ?? 0,
        give: (below) => giveShared(write, { rolloutID: row.id, stage: row.stage, below }),
      },
      placeOf: await listPlaces(db, row.id),
    },
    clock,
  );
}

function openStageOf({ state, held_until: heldUntil, stage }: RolloutRow): number {
  return (state === 'running' || state === 'waiting') && heldUntil === null ? stage : -1;
}
