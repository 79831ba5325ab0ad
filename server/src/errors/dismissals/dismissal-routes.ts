import { type Dismissal, routes, titleOfCause } from '@muster/contract';
import { explainError } from '@muster/faults/explain';
import { toNullableTimestamp, toTimestamp } from '../../foundation/clock.ts';
import { hangUpSignal } from '../../foundation/http/connections/hang-up-signal.ts';
import { answerPage, pageOf, type RouteMounter } from '../../foundation/http/mount-route.ts';
import type { ActorNameService, ToActor } from '../../people/actors/actor-name-service.ts';
import type { DismissalService } from './dismissal-service.ts';
import type { DismissalRow, DismissedGroup } from './dismissal-store.ts';
import { filterOf, groupIDsOf } from './error-selection.ts';

export function mountDismissalRoutes(
  mounter: RouteMounter,
  dismissals: DismissalService,
  actors: ActorNameService,
): void {
  const readActors = (rows: readonly DismissalRow[]): Promise<ToActor> =>
    actors.read(
      rows.flatMap((row) => [
        { kind: row.requested_by_kind, id: row.requested_by_id },
        { kind: row.undo_requested_by_kind, id: row.undo_requested_by_id },
      ]),
    );
  const answer = async (row: DismissalRow): Promise<Dismissal> => {
    const [toActor, groups] = await Promise.all([readActors([row]), dismissals.readGroups([row])]);
    return toDismissal(row, toActor, groups);
  };

  mounter.mount(routes.createDismissal, async ({ principal, params, body, request, reply }) => {
    const { dryRun, ...rest } = body;
    const dismissal = { ...rest, projectID: params.projectID };
    if (dryRun !== true) return answer(await dismissals.create(principal, dismissal));
    const counts = await dismissals.preview(principal, dismissal, hangUpSignal(request, reply));
    return { dryRun: true as const, ...counts, note: noteOn(counts.errorsCount) };
  });

  mounter.mount(routes.listDismissals, async (call) => {
    const { projectID } = call.params;
    const list = `dismissals of project ${projectID}`;
    const page = await dismissals.list(call.principal, projectID, pageOf(list, call));
    const [toActor, groups] = await Promise.all([readActors(page.rows), dismissals.readGroups(page.rows)]);
    return answerPage(list, call, page, (row) => toDismissal(row, toActor, groups));
  });

  mounter.mount(routes.getDismissal, async ({ principal, params }) =>
    answer(await dismissals.find(principal, params.dismissalID)),
  );

  mounter.mount(routes.undoDismissal, async ({ principal, params }) =>
    answer(await dismissals.undo(principal, params.dismissalID)),
  );
}

function noteOn(errorsCount: number): string | null {
  return errorsCount === 0 ? 'No open error matches the filter.' : null;
}

function toDismissal(
  row: DismissalRow,
  toActor: ToActor,
  known: ReadonlyMap<string, DismissedGroup>,
): Dismissal {
  const filter = filterOf(row);
  return {
    id: row.id,
    state: row.state as Dismissal['state'], // written by the service alone
    errorsCount: row.errors_count,
    agentsCount: row.agents_count,
    note: row.ended_at === null ? null : noteOn(row.errors_count),
    reason: row.reason,
    filter,
    groups: groupIDsOf(filter).flatMap((id) => {
      const group = known.get(id);
      return group === undefined ? [] : [{ id, name: nameOf(group) }];
    }),
    requestedAt: toTimestamp(row.requested_at),
    requestedBy: toActor({ kind: row.requested_by_kind, id: row.requested_by_id }),
    endedAt: toNullableTimestamp(row.ended_at),
    undo: toUndo(row, toActor),
  };
}

function nameOf({ pattern, example }: DismissedGroup): string {
  return titleOfCause({ pattern, explanation: explainError(example) ?? null }) ?? pattern;
}

function toUndo(row: DismissalRow, toActor: ToActor): Dismissal['undo'] {
  if (row.undo_requested_at === null) return null;
  const changed = row.errors_count - row.reopened_count - row.equal_open_count;
  const isDone = row.state === 'undone';
  return {
    requestedAt: toTimestamp(row.undo_requested_at),
    requestedBy: toActor({ kind: row.undo_requested_by_kind ?? '', id: row.undo_requested_by_id }),
    endedAt: toNullableTimestamp(row.undo_ended_at),
    reopenedCount: row.reopened_count,
    notReopenedCount: row.equal_open_count + (isDone ? changed : 0),
    notReopened: { equalErrorOpen: row.equal_open_count, changedSince: isDone ? changed : 0 },
  };
}
