import type {
  Actor,
  Fleet,
  FleetConfigFinding,
  FleetConfigFormat,
  FleetFile,
  FleetVersion,
} from '@muster/contract';
import { toTimestamp } from '../../foundation/clock.ts';
import { filesOf } from './fleet-content.ts';
import type { FleetCounts } from './fleet-counts-store.ts';
import type { FileWithContents } from './fleet-file-service.ts';
import type { FleetRowWithVersion } from './fleet-store.ts';
import type { ListedVersionRow } from './fleet-version-store.ts';

/** A fleet in the form of the contract. */
export function toFleet(row: FleetRowWithVersion, counts: FleetCounts | undefined): Fleet {
  const { active = 0, inactive = 0, errors = 0 } = counts ?? {};
  return {
    id: row.id,
    projectID: row.project_id,
    name: row.name,
    minFluentBitVersion: row.minimum_version,
    rawConfig: row.raw_config ?? '',
    // This and the following were written by the service alone.
    configFormat: (row.config_format ?? 'classic') as FleetConfigFormat,
    tags: JSON.parse(row.tags) as string[],
    reporting: row.reporting as Fleet['reporting'],
    currentVersion:
      row.current_version_id === null || row.version_number === null
        ? null
        : {
            id: row.current_version_id,
            number: row.version_number,
            publishedAt: toTimestamp(row.published_at ?? row.updated_at),
          },
    agentsCount: { active, inactive, withErrors: errors, errors },
    createdAt: toTimestamp(row.created_at),
    createdBy: toActor(row),
    updatedAt: toTimestamp(row.updated_at),
  };
}

export function toFleetVersion(
  row: ListedVersionRow,
  { isCurrent, isBad }: Pick<FleetVersion, 'isCurrent' | 'isBad'>,
): FleetVersion {
  return {
    id: row.id,
    fleetID: row.fleet_id,
    number: row.number,
    configFormat: row.config_format as FleetConfigFormat, // written by the service alone
    files: filesOf(row).map(({ name, digest, bytes }) => ({ name, digest, bytes })),
    digest: row.digest,
    note: row.note,
    isCurrent,
    isBad,
    createdAt: toTimestamp(row.created_at),
    createdBy: toActor(row),
    findings: JSON.parse(row.findings) as FleetConfigFinding[], // written by the service alone
  };
}

export function toFleetFile({ id, name, contents, created_at, updated_at }: FileWithContents): FleetFile {
  return {
    id,
    name,
    contents: Buffer.from(contents).toString('base64'),
    createdAt: toTimestamp(created_at),
    updatedAt: toTimestamp(updated_at),
  };
}

export function toActor(
  row: Pick<ListedVersionRow, 'created_by_kind' | 'created_by_id' | 'created_by_name'>,
): Actor {
  return {
    kind: row.created_by_kind as Actor['kind'], // written by the service alone
    id: row.created_by_id,
    name: row.created_by_name,
  };
}
