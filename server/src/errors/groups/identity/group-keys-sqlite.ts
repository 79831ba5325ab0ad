import { foldVersion } from '@muster/faults';
import type { RowWatch, SqliteStatements } from '../../../foundation/database/sqlite/sqlite-procedure.ts';
import type { GroupMute } from '../mutes/group-mute.ts';
import { KnownGroups } from './error-group.ts';

/** What the writer's thread remembers of a group. */
export interface KnownGroup {
  readonly key: number;
  /** Also if it has ended. */
  readonly mute: GroupMute | undefined;
}

/** An error to find the group of. */
export interface GroupedError {
  readonly projectID: string;
  readonly error: string;
  /** Milliseconds. */
  readonly createdAt: number;
  readonly configID: Uint8Array | null;
}

/**
 * The integers that represent groups in error rows, cached on the thread that writes. A group is stored when it is first
 * needed. The cache is cleared when a transaction is rolled back, a group is removed, or a mute changes.
 */
export class GroupKeys {
  readonly #groups = new KnownGroups<KnownGroup>();

  /** For the procedures that use the cache: a group is marked before it is removed. */
  readonly watches: readonly RowWatch[] = [
    {
      table: 'agent_error_groups',
      columns: ['muted_until', 'mute_reason', 'pattern'],
      key: 'id',
      // This is rare, so all groups are read again.
      onChange: () => this.#groups.forgetAll(),
    },
  ];

  find(statements: SqliteStatements, error: GroupedError): KnownGroup {
    return this.#groups.find(
      error.projectID,
      error.error,
      ({ id, pattern }) => readGroup(statements, id) ?? insertGroup(statements, id, pattern, error),
    );
  }

  forgetAll(): void {
    this.#groups.forgetAll();
  }
}

function readGroup(statements: SqliteStatements, id: string): KnownGroup | undefined {
  const row = statements.get(
    'select key, muted_until, mute_reason from agent_error_groups where id = ?1',
    id,
  );
  if (row === undefined) return undefined;
  const { key, muted_until: until, mute_reason: reason } = row;
  return {
    key: Number(key),
    mute: until === null ? undefined : { until: Number(until), reason: String(reason ?? '') },
  };
}

function insertGroup(
  statements: SqliteStatements,
  id: string,
  pattern: string,
  { projectID, error, createdAt, configID }: GroupedError,
): KnownGroup {
  const row = statements.get(
    insertGroupSql,
    id,
    projectID,
    pattern,
    error,
    foldVersion,
    configID === null ? null : idOfBytes(configID),
    createdAt,
  );
  return { key: Number(row?.key), mute: undefined };
}

function idOfBytes(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

const insertGroupSql = `
  insert into agent_error_groups (
    id, project_id, pattern, example, fold_version, first_config_id, first_seen_at, last_seen_at
  ) values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7)
  returning key`;
