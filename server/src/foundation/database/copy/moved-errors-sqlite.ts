import type { Kysely } from 'kysely';
import { Refusal } from '../../refusal.ts';
import { idAtPlaceSql, maxMoved, placeOfID } from '../id-place.ts';
import type { Tables } from '../tables.ts';
import { textDigest } from './error-source.ts';
import { type MovedRange, type MovedValue, Parameters, queryRows } from './moved-rows.ts';

type ErrorValues = Readonly<Record<string, MovedValue>>;

/** Of a change in the queue of counts (`migrations/0001-initial/agent-error-changes.ts`). */
const created = 1;
const ungrouped = 8;

/** Removes errors of a project in a range. Triggers take them off the counts. */
export async function deleteErrorsOnSqlite(
  trx: Kysely<Tables>,
  projectID: string,
  { after, through }: MovedRange,
): Promise<void> {
  const placeOf = (id: unknown) => (id === undefined ? undefined : requirePlace(String(id)).place);
  const first = placeOf(after?.[0]) ?? 0n;
  const last = placeOf(through?.[0]);
  const parameters = new Parameters('sqlite');
  const conditions = [
    `project_key = (select key from id_keys where id = ${parameters.add(projectID)})`,
    `place >= ${parameters.add(first)}`,
    ...(last === undefined ? [] : [`place <= ${parameters.add(last + BigInt(maxMoved))}`]),
    ...(after === undefined ? [] : [`${idAtPlaceSql} > ${parameters.add(after[0])}`]),
    ...(through === undefined ? [] : [`${idAtPlaceSql} <= ${parameters.add(through[0])}`]),
  ];
  await queryRows(trx, `delete from agent_error_rows where ${conditions.join(' and ')}`, parameters.values);
}

/** Stores errors with the ids that they have, and notes that their groups have them. */
export async function insertErrorsOnSqlite(
  trx: Kysely<Tables>,
  errors: readonly ErrorValues[],
): Promise<void> {
  const ids = [...new Set(errors.flatMap(({ agent_id, project_id }) => [agent_id, project_id]))];
  await queryRows(
    trx,
    'insert into id_keys (id) select value from json_each(?1) where true on conflict (id) do nothing',
    [JSON.stringify(ids)],
  );
  const keys = await readKeys(trx, 'id_keys', ids);
  const groups = await readKeys(trx, 'agent_error_groups', distinct(errors, 'group_id'));
  const dismissals = await readKeys(trx, 'dismissals', distinct(errors, 'dismissal_id'));
  const places = await choosePlaces(
    trx,
    errors.map(({ id }) => requirePlace(String(id))),
  );
  const rows = new Parameters('sqlite');
  const changes = new Parameters('sqlite');
  const rowTexts: string[] = [];
  const changeTexts: string[] = [];
  for (const [index, error] of errors.entries()) {
    const at = places[index];
    const agentKey = keys.get(String(error.agent_id));
    if (at === undefined || agentKey === undefined) throw new Error('an error has no place or no agent');
    const group = error.group_id === null ? null : (groups.get(String(error.group_id)) ?? null);
    const text = String(error.error);
    const own = [
      at.place,
      at.rest,
      agentKey,
      keys.get(String(error.project_id)) ?? null,
      error.epoch,
      textDigest(text).readUIntBE(0, 6),
      error.config_id === null ? null : Buffer.from(String(error.config_id).replaceAll('-', ''), 'hex'),
      error.occurrences,
      error.last_seen_at,
      group,
      error.superseded_at,
      error.is_muted,
      error.dismissed_at,
      error.dismissed_by_kind,
      error.dismissed_by_id,
      error.dismiss_reason,
      error.dismissal_id === null ? null : (dismissals.get(String(error.dismissal_id)) ?? null),
      text,
    ];
    rowTexts.push(`(${own.map((value) => rows.add(value)).join(', ')})`);
    const isOpen = error.dismissed_at === null;
    const change = [
      group === null ? ungrouped : created,
      group,
      agentKey,
      error.epoch,
      at.place,
      isOpen ? 1 : 0,
      isOpen ? 0 : 1,
      error.occurrences,
      error.last_seen_at,
    ];
    changeTexts.push(`(${change.map((value) => changes.add(value)).join(', ')})`);
  }
  await queryRows(
    trx,
    `insert into agent_error_rows (
      place, id_rest, agent_key, project_key, epoch, digest, config_id, occurrences, last_seen_at, error_group,
      superseded_at, is_muted, dismissed_at, dismissed_by_kind, dismissed_by_id, dismiss_reason, dismissal, error
    ) values ${rowTexts.join(', ')}`,
    rows.values,
  );
  await queryRows(
    trx,
    `insert into agent_error_changes (
      kind, group_key, agent_key, epoch, place, opened, dismissed, occurrences, seen_at
    ) values ${changeTexts.join(', ')}`,
    changes.values,
  );
}

interface Place {
  readonly place: bigint;
  readonly rest: bigint;
}

/** The place of each id, or the next one that is free: errors of other projects have been here before. */
async function choosePlaces(trx: Kysely<Tables>, wanted: readonly Place[]): Promise<readonly Place[]> {
  const candidates = wanted.flatMap(({ place }) =>
    Array.from({ length: maxMoved + 1 }, (_, moved) => place + BigInt(moved)),
  );
  const found = await queryRows<{ place: string }>(
    trx,
    'select cast(place as text) as place from agent_error_rows where place in (select value from json_each(?1))',
    [`[${candidates.join(',')}]`],
  );
  const taken = new Set(found.map(({ place }) => BigInt(place)));
  return wanted.map(({ place, rest }) => {
    for (let moved = 0n; moved <= BigInt(maxMoved); moved += 1n) {
      if (taken.has(place + moved)) continue;
      taken.add(place + moved);
      return { place: place + moved, rest: rest | (moved << 55n) };
    }
    throw new Refusal('project_page_refused', {
      detail: `An error of the project was made in the same millisecond as many errors of other projects of this installation, and the embedded database has no place for it: it can store ${maxMoved + 1} with the same time and number. Nothing of its page was stored. Move the project to an installation on PostgreSQL.`,
    });
  });
}

async function readKeys(
  trx: Kysely<Tables>,
  table: 'id_keys' | 'agent_error_groups' | 'dismissals',
  ids: readonly unknown[],
): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  const rows = await queryRows<{ id: string; key: number }>(
    trx,
    `select id, key from ${table} where id in (select value from json_each(?1))`,
    [JSON.stringify(ids)],
  );
  return new Map(rows.map(({ id, key }) => [id, key]));
}

function distinct(errors: readonly ErrorValues[], column: string): unknown[] {
  return [...new Set(errors.map((error) => error[column]).filter((id) => id !== null))];
}

function requirePlace(id: string): Place {
  const at = placeOfID(id);
  if (at === undefined) throw new Error('the CHECK constraint failed: no error has such an id');
  return at;
}
