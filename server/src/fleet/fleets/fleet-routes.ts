import { type FleetConfigFormat, routes } from '@muster/contract';
import { formatInQuery, wantedFormat } from '@muster/http/fleets/config-format';
import { mediaTypeOf } from '@muster/http/fleets/config-media-type';
import type { FastifyRequest } from 'fastify';
import { toTimestamp } from '../../foundation/clock.ts';
import { projectOf } from '../../foundation/credentials/principal.ts';
import { answerPage, JsonText, pageOf, type RouteMounter } from '../../foundation/http/mount-route.ts';
import { BodyRoom } from '../../foundation/http/overload/body-room.ts';
import type { ConfigPoll } from './config-poll.ts';
import type { FleetCountService } from './fleet-count-service.ts';
import type { FleetFileService } from './fleet-file-service.ts';
import type { FleetMoves } from './fleet-moves.ts';
import type { FleetSearch } from './fleet-search.ts';
import type { FleetService } from './fleet-service.ts';
import type { FleetRowWithVersion } from './fleet-store.ts';
import type { FleetVersionService } from './fleet-version-service.ts';
import type { FleetVersionRow } from './fleet-version-store.ts';
import { convert } from './render-config.ts';
import { toFleet, toFleetFile, toFleetVersion } from './to-fleet.ts';

interface FleetRouteParts {
  readonly fleets: FleetService;
  readonly versions: FleetVersionService;
  readonly files: FleetFileService;
  readonly counts: FleetCountService;
  readonly moves: FleetMoves;
  readonly search: FleetSearch;
  readonly poll: ConfigPoll;
  /** The origin of this service, as agents reach it. */
  readonly originOf: (headers: FastifyRequest['headers']) => string;
}

/** A configuration has at most a megabyte, which JSON can double, and files come with it. */
const bodyRoomLimits = { bytes: 64 * 1024 * 1024, bytesOfProject: 32 * 1024 * 1024 };

export function mountFleetRoutes(
  mounter: RouteMounter,
  { fleets, versions, files, counts, moves, search, poll, originOf }: FleetRouteParts,
): void {
  const bodyRoom = new BodyRoom(bodyRoomLimits);

  mounter.mount(
    routes.createFleet,
    async ({ principal, params, body }) => {
      const { id, versionID, createdAt } = await fleets.create(principal, params.projectID, body);
      return { id, versionID, createdAt: toTimestamp(createdAt) };
    },
    { bodyRoom },
  );

  mounter.mount(routes.listFleets, async (call) => {
    const { projectID } = call.params;
    const { name, tags_query: tags = '' } = call.query;
    const format = formatInQuery('config_format', call.query.config_format);
    const list = `fleets of ${projectID}`;
    const filter = { name, tags: tags.split(/,| AND /).flatMap((tag) => tag.trim() || []) };
    const page = await fleets.list(call.principal, projectID, filter, pageOf(list, call));
    const countsOf = await counts.countAgents(
      projectID,
      page.rows.map(({ id }) => id),
    );
    return answerPage(list, call, page, (row) => toFleet(inFormat(row, format), countsOf.get(row.id)));
  });

  mounter.mount(routes.getFleetsStatus, ({ principal, params }) =>
    counts.countOfProject(principal, params.projectID),
  );

  mounter.mount(routes.getFleetVersionCounts, ({ principal, params, query }) =>
    counts.countVersions(principal, params.projectID, query.fleet_id),
  );

  mounter.mount(routes.getFleet, async ({ principal, params: { fleetID }, query }) => {
    const format = formatInQuery('config_format', query.config_format);
    const row = await fleets.find(principal, fleetID);
    const countsOf = await counts.countAgents(row.project_id, [fleetID]);
    return toFleet(inFormat(row, format), countsOf.get(fleetID));
  });

  mounter.mount(
    routes.updateFleet,
    async ({ principal, params, body }) => {
      const { updatedAt, versionID } = await fleets.update(principal, params.fleetID, body);
      return { updatedAt: toTimestamp(updatedAt), versionID };
    },
    { bodyRoom },
  );

  mounter.mount(routes.deleteFleet, async ({ principal, params }) => ({
    deleted: true,
    deletedAt: toTimestamp(await fleets.delete(principal, params.fleetID)),
  }));

  mounter.mount(routes.moveAgents, async ({ principal, params, body }) => ({
    movedCount: await moves.move(principal, params.fleetID, body.agentIDs),
  }));

  mounter.mount(routes.getFleetStatus, async ({ principal, params }) =>
    counts.countOfFleet(await fleets.find(principal, params.fleetID)),
  );

  mounter.mount(routes.getFleetConfig, async ({ principal, params, query, request, reply }) => {
    const format = wantedFormat(query);
    const asked = { id: params.fleetID, said: saidBy(request) };
    const { parts, lastModified } = await poll.answer(principal, asked, {
      format,
      origin: originOf(request.headers),
    });
    reply
      .header('Last-Modified', lastModified)
      .header('Content-Type', mediaTypeOf(format))
      .send(Buffer.concat(parts.map((part) => Buffer.from(part))));
    return '';
  });

  mounter.mount(routes.listFleetFiles, async (call) => {
    const { principal, params, request, query } = call;
    const said = saidBy(request);
    if (said !== undefined)
      return new JsonText(await poll.answerFiles(principal, { id: params.fleetID, said }));
    const list = `files of ${params.fleetID}`;
    const page = { ...pageOf(list, call), ...(query.last === undefined && { limit: allFiles }) };
    return answerPage(list, call, await files.list(principal, params.fleetID, page), toFleetFile);
  });

  mounter.mount(
    routes.createFleetFile,
    async ({ principal, params, body }) => {
      const { id, createdAt } = await files.create(principal, params.fleetID, body);
      return { id, createdAt: toTimestamp(createdAt) };
    },
    { bodyRoom },
  );

  mounter.mount(routes.getFleetFile, async ({ principal, params }) =>
    toFleetFile(await files.find(principal, params.fleetFileID)),
  );

  mounter.mount(
    routes.updateFleetFile,
    async ({ principal, params, body }) => {
      await files.update(principal, params.fleetFileID, body);
      return undefined;
    },
    { bodyRoom },
  );

  mounter.mount(routes.deleteFleetFile, async ({ principal, params }) => {
    await files.delete(principal, params.fleetFileID);
    return undefined;
  });

  mounter.mount(routes.listFleetVersions, async (call) => {
    const { fleetID } = call.params;
    const list = `versions of ${fleetID}`;
    const { page, currentID, failed } = await versions.list(call.principal, fleetID, pageOf(list, call));
    return answerPage(list, call, page, (row) =>
      toFleetVersion(row, { isCurrent: row.id === currentID, isBad: failed.has(row.id) }),
    );
  });

  mounter.mount(
    routes.createFleetVersion,
    async ({ principal, params, body }) => {
      const { row, ...marks } = await versions.create(principal, params.fleetID, body);
      return toFleetVersion(row, marks);
    },
    { bodyRoom },
  );

  mounter.mount(routes.getFleetVersion, async ({ principal, params }) => {
    const { row, ...marks } = await versions.find(principal, params.fleetVersionID);
    return { ...toFleetVersion(row, marks), rawConfig: row.raw_config };
  });

  mounter.mount(
    routes.getFleetVersionDiff,
    async ({ principal, params, query }) => {
      const against = query.against?.toLowerCase();
      const {
        from,
        to,
        difference,
        files: names,
      } = await versions.compare(principal, params.fleetVersionID, against);
      const { hunks, addedLines, removedLines, isCoarse } = difference;
      const head = `--- ${from === undefined ? '/dev/null' : nameInHead(from)}\n+++ ${nameInHead(to)}\n`;
      return {
        from: from === undefined ? null : toCompared(from),
        to: toCompared(to),
        diff: hunks === '' ? '' : head + hunks,
        addedLines,
        removedLines,
        isCoarse,
        ...names,
      };
    },
    // An answer can have several megabytes.
    { takesTurns: () => true },
  );

  mounter.mount(
    routes.validateFleetConfig,
    async ({ principal, params, body }) => {
      const findings = await versions.validate(principal, params.fleetID, body);
      return { isValid: findings.every(({ severity }) => severity !== 'error'), findings };
    },
    { bodyRoom },
  );

  mounter.mount(routes.search, ({ principal, query, request }) =>
    search.find(principal, {
      projectID: query.project_id?.toLowerCase() ?? projectOf(principal),
      resource: query.resource ?? 'fleet',
      term: query.term ?? '',
      isExact: query.exact ?? false,
      isAgent: saidBy(request) !== undefined,
    }),
  );
}

/** Agents read no second page. A fleet has fewer files. */
const allFiles = 1_000;

function saidBy({ headers }: FastifyRequest): string | undefined {
  return headers['fleet-config-version']?.toString();
}

function inFormat(row: FleetRowWithVersion, format: FleetConfigFormat | undefined): FleetRowWithVersion {
  const { raw_config, config_format } = row;
  if (format === undefined || raw_config === null || config_format === null) return row;
  return { ...row, raw_config: convert({ raw_config, config_format }, format), config_format: format };
}

function toCompared({ id, number, created_at }: FleetVersionRow) {
  return { id, number, createdAt: toTimestamp(created_at) };
}

function nameInHead({ number, created_at }: FleetVersionRow): string {
  return `version ${number}\t${toTimestamp(created_at)}`;
}
