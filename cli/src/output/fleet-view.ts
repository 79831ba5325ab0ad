import type { Fleet, FleetConfigFinding, FleetFile, FleetVersion } from '@muster/client';
import { numberOf } from '@muster/contract';
import { nameOfActor } from './people-views.ts';
import type { View } from './printer.ts';

export const fleetView: View<Fleet> = {
  id: ({ id }) => id,
  columns: [
    { title: 'ID', cell: ({ id }, format) => format.id(id) },
    { title: 'NAME', isFlexible: true, cell: ({ name }) => name },
    { title: 'VERSION', isRightAligned: true, cell: versionOf },
    {
      title: 'AGENTS',
      isRightAligned: true,
      cell: ({ agentsCount: { active, inactive } }) => numberOf(active + inactive),
    },
    {
      title: 'UNHEALTHY',
      isRightAligned: true,
      leaveOut: 1,
      cell: ({ agentsCount }) => numberOf(agentsCount.errors),
      tone: ({ agentsCount }) => (agentsCount.errors > 0 ? 'bad' : undefined),
    },
    {
      title: 'SINCE',
      leaveOut: 2,
      cell: ({ currentVersion }, { time }) =>
        currentVersion === null ? '' : time(currentVersion.publishedAt),
    },
    { title: 'TAGS', isFlexible: true, leaveOut: 3, cell: ({ tags }) => tags.join(' ') },
  ],
  details: (fleet, { time }) => [
    ['id', fleet.id],
    ['name', fleet.name],
    ['version', versionOf(fleet)],
    ['since', fleet.currentVersion === null ? undefined : time(fleet.currentVersion.publishedAt)],
    ['format', fleet.configFormat],
    ['reporting', fleet.reporting],
    ['agents', numberOf(fleet.agentsCount.active + fleet.agentsCount.inactive)],
    ['unhealthy', numberOf(fleet.agentsCount.errors), fleet.agentsCount.errors > 0 ? 'bad' : undefined],
    ['not heard', numberOf(fleet.agentsCount.inactive)],
    [
      'for Fluent Bit',
      fleet.minFluentBitVersion === '' ? undefined : `${fleet.minFluentBitVersion} or newer`,
    ],
    ['tags', fleet.tags.join(' ') || undefined],
    ['created', time(fleet.createdAt)],
    ['created by', nameOfActor(fleet.createdBy)],
    ['project', fleet.projectID],
  ],
};

function versionOf({ currentVersion }: Fleet): string {
  return currentVersion === null ? 'none' : String(currentVersion.number);
}

export const fleetVersionView: View<FleetVersion> = {
  id: ({ id }) => id,
  columns: [
    { title: 'VERSION', isRightAligned: true, cell: ({ number }) => String(number) },
    {
      title: 'SERVED',
      cell: ({ isCurrent }) => (isCurrent ? 'yes' : 'no'),
      tone: ({ isCurrent }) => (isCurrent ? 'good' : undefined),
    },
    { title: 'MARK', isOptional: true, cell: ({ isBad }) => (isBad ? 'bad' : ''), tone: () => 'bad' },
    { title: 'CREATED', cell: ({ createdAt }, { time }) => time(createdAt) },
    { title: 'BY', leaveOut: 2, cell: ({ createdBy }) => nameOfActor(createdBy) },
    { title: 'FILES', isRightAligned: true, leaveOut: 3, cell: ({ files }) => numberOf(files.length) },
    {
      title: 'WARNINGS',
      isRightAligned: true,
      leaveOut: 1,
      cell: ({ findings }) => numberOf(findings.length),
    },
    { title: 'NOTE', isFlexible: true, cell: ({ note }) => note ?? '' },
    { title: 'ID', leaveOut: 4, cell: ({ id }, format) => format.id(id) },
  ],
  details: (version, { time }) => [
    ['id', version.id],
    ['version', String(version.number)],
    ['created', time(version.createdAt)],
    ['note', version.note ?? undefined],
  ],
};

export const fleetFileView: View<FleetFile> = {
  id: ({ id }) => id,
  columns: [
    { title: 'ID', cell: ({ id }, format) => format.id(id) },
    { title: 'NAME', isFlexible: true, cell: ({ name }) => name },
    { title: 'BYTES', isRightAligned: true, cell: (file) => numberOf(bytesOf(file)) },
    { title: 'CHANGED', cell: ({ updatedAt }, { time }) => time(updatedAt) },
  ],
  details: (file, { time }) => [
    ['id', file.id],
    ['name', file.name],
    ['bytes', numberOf(bytesOf(file))],
    ['changed', time(file.updatedAt)],
  ],
};

function bytesOf({ contents }: FleetFile): number {
  return Buffer.from(contents, 'base64').length;
}

/** A finding in one line: where, what, and what to do. */
export function findingLine(finding: FleetConfigFinding, fileName: string): string {
  const { severity, message, remedy, line, column, file } = finding;
  const place = [file ?? fileName, line, line === undefined ? undefined : column].filter(
    (part) => part !== undefined,
  );
  return `${place.join(':')}: ${severity}: ${message}${remedy === undefined ? '' : ` ${remedy}`}`;
}
