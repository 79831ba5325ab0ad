import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { routes } from '@muster/contract';
import { toProblem } from '@muster/http/answers/to-problem';
import type { BodyValidators } from '@muster/http/requests/validate-body';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SiteFleetService } from '../fleet/fleets/site-fleet-service.ts';
import type { Clock } from '../foundation/clock.ts';
import { requireCoreInstance, requireProjectToken } from '../foundation/credentials/principal.ts';
import { answerPage, JsonText, pageOf, type RouteMounter } from '../foundation/http/mount-route.ts';
import { BodyRoom } from '../foundation/http/overload/body-room.ts';
import type { BatchService } from './batches/batch-service.ts';
import { createReadBatch } from './batches/read-batch.ts';
import type { CoreInstanceService, CoreInstanceWithSecret } from './core-instance-service.ts';
import type { CountedCoreInstance } from './core-instance-store.ts';
import type { SiteCredentialList } from './site-credentials.ts';
import { toCoreInstance } from './to-core-instance.ts';

interface CoreInstanceRouteParts {
  readonly coreInstances: CoreInstanceService;
  readonly siteCredentials: SiteCredentialList;
  readonly siteFleets: SiteFleetService;
  readonly batches: BatchService;
  readonly validators: BodyValidators;
  readonly clock: Clock;
}

export function mountCoreInstanceRoutes(
  mounter: RouteMounter,
  { coreInstances, siteCredentials, siteFleets, batches, validators, clock }: CoreInstanceRouteParts,
): void {
  const show = (row: CountedCoreInstance) => toCoreInstance(row, clock(), coreInstances.hearing());
  const showWithToken = ({ row, secret }: CoreInstanceWithSecret) => ({
    ...show(row),
    token: secret.reveal(),
  });

  mounter.mount(routes.createCoreInstance, async ({ principal, body }) =>
    showWithToken(await coreInstances.create(requireProjectToken(principal), body)),
  );

  mounter.mount(routes.listCoreInstances, async (call) => {
    const { projectID } = call.params;
    const { name, status, tag } = call.query;
    const list = `core instances of ${projectID}`;
    const filter = { projectID, name, status, tag };
    const page = await coreInstances.list(call.principal, filter, pageOf(list, call));
    return answerPage(list, call, page, show);
  });

  mounter.mount(routes.getCoreInstance, async ({ principal, params }) =>
    show(await coreInstances.find(principal, params.coreInstanceID)),
  );

  mounter.mount(routes.updateCoreInstance, async ({ principal, params, body }) =>
    show(await coreInstances.update(principal, params.coreInstanceID, body)),
  );

  mounter.mount(routes.deleteCoreInstance, async ({ principal, params }) => {
    await coreInstances.delete(principal, params.coreInstanceID);
    return undefined;
  });

  mounter.mount(routes.rotateCoreInstance, async ({ principal, params, body }) =>
    show(await coreInstances.rotate(principal, params.coreInstanceID, body.graceSeconds)),
  );

  const { readBatch, readItem } = createReadBatch((schema) => validators.compile(schema));
  mounter.mount(
    routes.sendCoreInstanceBatch,
    ({ principal, admission, body: batch, request }) =>
      batches.apply({
        instance: requireCoreInstance(principal),
        admission,
        batch,
        readItem,
        toProblem: ({ code, detail, fields }) => toProblem(code, request.id, detail, fields?.slice()),
      }),
    // JSON alone, which may be compressed.
    { readBody: readBatch, otherParsers: {}, bodyRoom: new BodyRoom() },
  );

  mounter.mount(routes.listSiteCredentials, ({ principal, query }) =>
    siteCredentials.list(requireCoreInstance(principal), query.cursor),
  );

  mounter.mount(routes.listSiteFleets, async ({ principal, query, request, reply }) =>
    compressed(await siteFleets.list(requireCoreInstance(principal), query.cursor), request, reply),
  );

  mounter.mount(routes.getSiteFleetContent, async ({ principal, params, query, request, reply }) => {
    const site = requireCoreInstance(principal);
    return compressed(await siteFleets.content(site, params.content, query.tls === true), request, reply);
  });

  mounter.mount(routes.rotateOwnCoreInstance, async ({ principal, body }) =>
    showWithToken(await coreInstances.rotateOwn(requireCoreInstance(principal), body.graceSeconds)),
  );
}

const compressedFromCharacters = 16_384;
const compress = promisify(gzip);

/** Over a thin line, some megabytes of what fleets serve would take minutes. */
async function compressed(
  answer: object,
  { headers }: FastifyRequest,
  reply: FastifyReply,
): Promise<JsonText> {
  const text = JSON.stringify(answer);
  if (text.length < compressedFromCharacters || headers['accept-encoding'] !== 'gzip')
    return new JsonText(text);
  reply.header('Content-Encoding', 'gzip').header('Vary', 'Accept-Encoding');
  return new JsonText(await compress(text));
}
