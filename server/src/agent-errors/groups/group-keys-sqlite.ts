import { foldVersion } from '@muster/faults';
import type { RowWatch, SqliteStatements } from '../../database/sqlite/sqlite-procedure.ts';
import { KnownGroups } from './error-group.ts';

/** What the writer knows of a group. */
export interface KnownGroup {
  readonly key: number;
  /** Milliseconds; null: not muted. */
  readonly mutedUntil: number | null;
}

/** An error whose group is wanted. */
export interface GroupedError {
  readonly projectID: string;
  readonly error: string;
  /** Milliseconds. */
  readonly createdAt: number;
  readonly configID: Uint8Array | null;
}

/**
 * The integers that stand for groups in rows of errors, on the one thread that writes. A group is stored when it is needed
 * first. What is remembered ends with a transaction that is undone, with a group that is removed, and with a mute.
 */
export class GroupKeys {
  readonly #groups = new KnownGroups<KnownGroup>();

  /** For the procedures that use it: a group that is to be removed is marked so first. */
  readonly watches: readonly RowWatch[] = [
    {
      table: 'agent_error_groups',
      columns: ['muted_until', 'pattern'],
      key: 'id',
      // Rare enough to read all of them again.
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
  const row = statements.get('select key, muted_until from agent_error_groups where id = ?1', id);
  if (row === undefined) return undefined;
  return { key: Number(row.key), mutedUntil: row.muted_until === null ? null : Number(row.muted_until) };
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
  return { key: Number(row?.key), mutedUntil: null };
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
