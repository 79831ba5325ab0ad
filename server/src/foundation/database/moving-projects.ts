import { type Kysely, type Selectable, sql } from 'kysely';
import { Refusal } from '../refusal.ts';
import type { Database } from './database.ts';
import { isAnyID } from './is-any-id.ts';
import type { Engine } from './migrations/column-types.ts';
import type { Tables } from './tables.ts';
import { isAnyOf } from './text-matching.ts';

/**
 * Projects that move, or have moved, between two installations (docs/copy.md).
 *
 * Such a project is stored as one that is deleted, at time 0: everything that leaves deleted projects alone leaves it alone, in requests and in the
 * background. Only what removes the rows of deleted projects tells them apart, by `deleted_at > 0`.
 */
export const movingAt = 0;

export type ProjectMove = Selectable<Tables['project_moves']>;

/** Kinds of credentials that belong to a project. */
type CredentialOfProject = 'project' | 'agent' | 'core_instance';

const retryAfterSeconds = 5;
const movedRetryAfterSeconds = 30;

/**
 * Why nothing is done with the project now. Undefined: it is here.
 *
 * What has moved is refused to people once and for all. Agents and core instances are asked to send it again, because they drop what is refused otherwise,
 * forget who they are, or stop: so they keep it until their address is changed.
 */
export function refusalOfMove(
  move: Pick<ProjectMove, 'state' | 'other_url'>,
  to: 'people' | 'agents',
): Refusal | undefined {
  switch (move.state) {
    case 'frozen':
      return new Refusal('project_moving', {
        detail: `The project is being moved to ${move.other_url}, and takes nothing until that is done, which takes seconds. Nothing was stored. Send the request again after the seconds in Retry-After.`,
        retryAfterSeconds,
      });
    case 'moved':
      if (to === 'agents') {
        return new Refusal('project_moving', {
          detail: `The project has moved to ${move.other_url}, where its tokens and agents are valid. Nothing was stored. Send the request to that address, or again here until the address is changed.`,
          retryAfterSeconds: movedRetryAfterSeconds,
        });
      }
      return new Refusal('project_moved', {
        detail: `The project has moved to ${move.other_url}. Its tokens and agents are valid there: send the request to that address.`,
      });
    case 'arriving':
      return new Refusal('project_moving', {
        detail: `The project is on its way here from ${move.other_url}, and takes nothing until all of it is here. Nothing was stored. Send the request again after the seconds in Retry-After.`,
        retryAfterSeconds,
      });
    default:
      return undefined;
  }
}

/**
 * Call it in the transaction of a change that is answered as done. On PostgreSQL a transaction that began before the project was frozen may still commit
 * after it: whoever freezes waits for these.
 *
 * Returns when the project was frozen last. If that is another time than before, its tokens and agents may have been missing in between.
 *
 * @throws Refusal project_moving
 */
export async function refuseMoving(db: Kysely<Tables>, projectID: string): Promise<number> {
  const move = await findMove(db, projectID);
  const refusal = move && refusalOfMove(move, 'agents');
  if (refusal !== undefined) throw refusal;
  return move?.started_at ?? 0;
}

export async function findMove(db: Kysely<Tables>, projectID: string): Promise<ProjectMove | undefined> {
  return db.selectFrom('project_moves').selectAll().where('project_id', '=', projectID).executeTakeFirst();
}

/** An arrival that somebody gave up keeps nothing waiting for longer. */
const maxArrivalMilliseconds = 86_400_000;

/** Whether rows of a project are being compared with those of another installation. */
export async function isMoveUnderWay(db: Kysely<Tables>, now: number): Promise<boolean> {
  const move = await db
    .selectFrom('project_moves')
    .select('project_id')
    .where((eb) =>
      eb.or([
        eb('state', '=', 'frozen'),
        eb.and([eb('state', '=', 'arriving'), eb('started_at', '>', now - maxArrivalMilliseconds)]),
      ]),
    )
    .limit(1)
    .executeTakeFirst();
  return move !== undefined;
}

/** Looks for credentials of projects that move. Undefined: no project has ever moved, and an empty table was read. */
export function createFindMoving(
  { read, engine }: Database,
  kind: CredentialOfProject,
): (digests: readonly string[]) => Promise<ReadonlyMap<string, Refusal> | undefined> {
  return async (digests) => {
    const all = await listMoves(read);
    if (all.length === 0) return undefined;
    const moves = await listMovesByDigest(read, engine, kind, digests, all.filter(isAway));
    const refusals = new Map<string, Refusal>();
    for (const [digest, move] of moves) {
      const refusal = refusalOfMove(move, 'agents');
      if (refusal !== undefined) refusals.set(digest, refusal);
    }
    return refusals;
  };
}

interface ListedMove extends ProjectMove {
  readonly deleted_at: number | null;
}

/** Also those that are over, of projects that are here. */
function listMoves(db: Kysely<Tables>): Promise<ListedMove[]> {
  return db
    .selectFrom('project_moves')
    .innerJoin('projects', 'projects.id', 'project_moves.project_id')
    .selectAll('project_moves')
    .select('projects.deleted_at')
    .execute();
}

/** Neither here nor deleted. */
function isAway({ deleted_at: deletedAt }: ListedMove): boolean {
  return deletedAt === movingAt;
}

/** The moves of the projects of credentials, by digest. */
async function listMovesByDigest(
  db: Kysely<Tables>,
  engine: Engine,
  kind: CredentialOfProject,
  digests: readonly string[],
  moves: readonly ProjectMove[],
): Promise<ReadonlyMap<string, ProjectMove>> {
  const found = new Map<string, ProjectMove>();
  for (const move of moves) {
    for (const digest of await listDigests(db, engine, kind, move.project_id, digests))
      found.set(digest, move);
  }
  return found;
}

async function listDigests(
  db: Kysely<Tables>,
  engine: Engine,
  kind: CredentialOfProject,
  projectID: string,
  digests: readonly string[],
): Promise<string[]> {
  const isMeant = (column: string) => isAnyOf(engine, sql.ref(column), digests);
  const rows = async (): Promise<readonly { readonly digest: string | null }[]> => {
    switch (kind) {
      case 'project':
        return db
          .selectFrom('project_tokens')
          .select('digest')
          .where('project_id', '=', projectID)
          .where(isMeant('digest'))
          .unionAll(
            db
              .selectFrom('earlier_secrets')
              .innerJoin('project_tokens', 'project_tokens.id', 'earlier_secrets.token_id')
              .select('earlier_secrets.digest')
              .where('project_tokens.project_id', '=', projectID)
              .where(isMeant('earlier_secrets.digest')),
          )
          .execute();
      case 'agent':
        return db
          .selectFrom('agent_tokens')
          .innerJoin('agents', 'agents.id', 'agent_tokens.agent_id')
          .select('agent_tokens.digest')
          .where('agents.project_id', '=', projectID)
          .where(isMeant('agent_tokens.digest'))
          .execute();
      case 'core_instance':
        return db
          .selectFrom('core_instances')
          .select('digest')
          .where('project_id', '=', projectID)
          .where(isMeant('digest'))
          .unionAll(
            db
              .selectFrom('core_instances')
              .select(sql<string>`earlier_digest`.as('digest'))
              .where('project_id', '=', projectID)
              .where(isMeant('earlier_digest')),
          )
          .execute();
    }
  };
  return (await rows()).flatMap(({ digest }) => (digest === null ? [] : [digest]));
}

/** Tables whose ids are in the paths of routes. */
const things = [
  'agents',
  'agent_errors',
  'agent_error_groups',
  'alert_channels',
  'alert_rules',
  'core_instances',
  'dismissals',
  'fleets',
  'project_tokens',
  'rollouts',
] as const;

/** The move of a project, or of the project of a thing, with one of these ids. Undefined: none is of a project that moves. */
export async function findMoveOfAny(
  db: Kysely<Tables>,
  engine: Engine,
  ids: readonly string[],
): Promise<ProjectMove | undefined> {
  if (ids.length === 0) return undefined;
  const moves = (await listMoves(db)).filter(isAway);
  if (moves.length === 0) return undefined;
  const own = moves.find(({ project_id: id }) => ids.includes(id));
  if (own !== undefined) return own;
  for (const table of things) {
    const row = await db
      .selectFrom(table)
      .select(sql<string>`project_id`.as('project_id'))
      .where(isAnyID(engine, sql.ref('id'), ids))
      .limit(1)
      .executeTakeFirst();
    const move = moves.find(({ project_id: id }) => id === row?.project_id);
    if (move !== undefined) return move;
  }
  return undefined;
}
