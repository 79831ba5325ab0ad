import { noteFleetChange } from '../../fleet/fleets/publication-store.ts';
import { grantsIn, type Principal } from '../../foundation/credentials/principal.ts';
import { findMoveOfAny, refusalOfMove } from '../../foundation/database/moving-projects.ts';
import type { Refusal } from '../../foundation/refusal.ts';
import type { SecretBox } from '../../foundation/secret-box.ts';
import { insertMember, isMember } from '../../people/members/member-store.ts';
import type { TokenService } from '../../people/tokens/token-service.ts';
import { ArrivalService } from '../../upkeep/moves/arrival-service.ts';
import { DepartureService } from '../../upkeep/moves/departure-service.ts';
import type { AppParts } from './app-parts.ts';
import type { Errors } from './create-errors.ts';
import type { Fleet } from './create-fleet.ts';

interface MoveLinks {
  readonly box: SecretBox;
  readonly version: string;
  readonly errors: Errors;
  readonly fleet: Fleet;
  readonly tokens: TokenService;
  /** Called when what is remembered of a project is no longer so. */
  readonly onChanged: () => void;
}

/** The services that move projects between installations. */
export function createMoves(parts: AppParts, { errors, fleet, tokens, ...links }: MoveLinks) {
  const { clock, newID } = parts;
  const countAll = (projectID: string) => errors.counter.catchUpWholly(projectID);
  const departures = new DepartureService({
    ...parts,
    ...links,
    noteFleetChange,
    countAll,
    async countSoon(projectID) {
      await errors.counter.catchUp(projectID);
    },
    async flush() {
      await errors.reports.flush();
      await fleet.signs.flush();
      await fleet.registrations.flushReporters();
      await fleet.fleetAgents.flush();
      await tokens.flush();
    },
  });
  const arrivals = new ArrivalService({
    ...parts,
    ...links,
    noteFleetChange,
    async addOwner(trx, projectID, userID) {
      await insertMember(trx, {
        id: newID(),
        project_id: projectID,
        user_id: userID,
        role: 'owner',
        permissions: null,
        created_at: clock(),
        created_by_kind: 'user',
        created_by_id: userID,
      });
    },
    countAll,
    holdCounts: (trx, projectID) => errors.counter.hold(trx, projectID),
  });
  return {
    departures,
    arrivals,
    /** Why something is not here, by ids, for who has a part in its project: to others it is as if it had never been here. */
    async explainMissing(ids: readonly string[], caller: Principal): Promise<Refusal | undefined> {
      const { read, engine } = parts.database;
      const move = await findMoveOfAny(read, engine, ids);
      if (move === undefined) return undefined;
      const { project_id: projectID } = move;
      const isPerson = caller.kind === 'access';
      const hasPart =
        grantsIn(caller, projectID) !== undefined ||
        (isPerson && (await isMember(read, projectID, caller.userID)));
      return hasPart ? refusalOfMove(move, isPerson ? 'people' : 'agents') : undefined;
    },
  };
}

export type Moves = ReturnType<typeof createMoves>;
