import type { Actor } from '@muster/contract';
import { type EarlierValue, maskToken, routes, type Token } from '@muster/contract';
import { type Clock, toNullableTimestamp, toTimestamp } from '../../foundation/clock.ts';
import { requireProjectToken } from '../../foundation/credentials/principal.ts';
import { nextSortedPageLink, readSortedPage } from '../../foundation/http/answers/sorted-page-links.ts';
import { answerPage, pageOf, type RouteMounter } from '../../foundation/http/mount-route.ts';
import { readRotation } from '../../foundation/http/requests/read-rotation.ts';
import { statusAt } from './token.ts';
import { parseNetworks } from './token-limits.ts';
import { grantsOf, type ShownToken, type TokenService } from './token-service.ts';
import type { Origins } from './token-use-store.ts';

export function mountTokenRoutes(mounter: RouteMounter, tokens: TokenService, clock: Clock): void {
  const show = (row: ShownToken) => toToken(row, maskToken('project', row.last_four), clock());

  mounter.mount(routes.listTokens, async (call) => {
    const { projectID } = call.params;
    const list = `tokens of ${projectID}`;
    const { name, status, sort } = call.query;
    if (sort === 'expiresAt') {
      const byExpiry = `${list} by expiry`;
      const place = readSortedPage(byExpiry, call.query);
      const { rows, hasNext } = await tokens.listByExpiry(call.principal, projectID, { name, status }, place);
      const last = hasNext ? rows.at(-1) : undefined;
      if (last !== undefined) {
        const { id, expires_at: value } = last;
        call.reply.header('Link', nextSortedPageLink(byExpiry, call.request.url, { id, value: value ?? 0 }));
      }
      return rows.map(show);
    }
    const page = await tokens.list(call.principal, projectID, { name, status }, pageOf(list, call));
    return answerPage(list, call, page, show);
  });

  mounter.mount(routes.createToken, async ({ principal, params, body }) => {
    const { row, secret } = await tokens.create(principal, params.projectID, body);
    return toToken(row, secret.reveal(), clock());
  });

  mounter.mount(routes.getToken, async ({ principal, params }) =>
    show(await tokens.get(principal, params.tokenID)),
  );

  mounter.mount(routes.getTokenUsage, async ({ principal, params }) => {
    const { token, days, ofEarlier, stopping, agents, ...origins } = await tokens.getUsage(
      principal,
      params.tokenID,
    );
    return {
      lastUsedAt: toNullableTimestamp(token.last_used_at),
      requestsByDay: days.map(({ day, requests }) => ({ day: toDay(day), requests })),
      ...toOrigins(origins),
      earlierValues: token.earlier.map((value) => ({
        ...toEarlierValue(value),
        ...toOrigins(ofEarlier.get(value.digest)),
      })),
      agentsCount: token.agents_count,
      stoppingAgentsCount: stopping,
      agents: agents.map((agent) => ({
        id: agent.id,
        name: agent.name,
        registered: agent.registered_with === token.id,
        reports: agent.reported_with === token.id,
        hasOwnToken: Boolean(agent.has_own_token),
        lastSeenAt: toTimestamp(agent.seen_at),
      })),
    };
  });

  mounter.mount(routes.updateToken, async ({ principal, params, body }) =>
    show(await tokens.update(principal, params.tokenID, body)),
  );

  mounter.mount(routes.rotateToken, async (call) => {
    const { principal, params, body } = call;
    const rotation = readRotation(routes.rotateToken, call.request, body);
    const { row, secret } = await tokens.rotate(principal, params.tokenID, rotation);
    return toToken(row, secret.reveal(), clock());
  });

  mounter.mount(routes.getOwnToken, async ({ principal }) =>
    show(await tokens.get(principal, requireProjectToken(principal).tokenID)),
  );

  mounter.mount(routes.rotateOwnToken, async ({ principal, body, request }) => {
    const rotation = readRotation(routes.rotateOwnToken, request, body);
    const { row, secret } = await tokens.rotateOwn(requireProjectToken(principal), rotation);
    return toToken(row, secret.reveal(), clock());
  });

  mounter.mount(routes.revokeToken, async ({ principal, params }) => {
    await tokens.revoke(principal, params.tokenID);
    return undefined;
  });

  mounter.mount(routes.revokeTokenWithReason, async ({ principal, params, body }) => {
    await tokens.revoke(principal, params.tokenID, body);
    return show(await tokens.get(principal, params.tokenID));
  });
}

function toToken(row: ShownToken, shownValue: string, now: number): Token {
  return {
    id: row.id,
    token: shownValue,
    name: row.name,
    permissions: grantsOf(row),
    createdAt: toTimestamp(row.created_at),
    expiresAt: toNullableTimestamp(row.expires_at),
    lastUsedAt: toNullableTimestamp(row.last_used_at),
    status: statusAt(now, {
      expiresAt: row.expires_at,
      revokedAt: row.revoked_at,
      earlierEnds: row.earlier.flatMap(({ ends_at }) => ends_at ?? []),
    }),
    allowedNetworks: row.allowed_networks === null ? null : parseNetworks(row.allowed_networks),
    reportsPerSecond: row.reports_per_second,
    rotatedAt: toNullableTimestamp(row.rotated_at),
    earlierValues: row.earlier.map(toEarlierValue),
    createdBy: toActor(row.created_by_kind, row.created_by_id, row.created_by_name),
    parentID: row.parent_id,
    revokedAt: toNullableTimestamp(row.revoked_at),
    revokedBy:
      row.revoked_by_kind === null
        ? null
        : toActor(row.revoked_by_kind, row.revoked_by_id, row.revoked_by_name),
    revokeReason: row.revoke_reason,
    leakedAt: toNullableTimestamp(row.leaked_at),
    leakSource: row.leak_source,
    agentsCount: row.agents_count,
  };
}

function toEarlierValue(value: ShownToken['earlier'][number]): EarlierValue {
  return {
    token: maskToken('project', value.last_four),
    endsAt: toNullableTimestamp(value.ends_at),
    retiresOnUse: value.retires_on_use === 1,
    lastUsedAt: toNullableTimestamp(value.last_used_at),
  };
}

function toOrigins({ addresses, userAgents }: Origins = { addresses: [], userAgents: [] }) {
  return {
    addresses: addresses.map(({ origin, last_used_at: at }) => ({
      address: origin,
      lastUsedAt: toTimestamp(at),
    })),
    userAgents: userAgents.map(({ origin, last_used_at: at }) => ({
      userAgent: origin,
      lastUsedAt: toTimestamp(at),
    })),
  };
}

function toActor(kind: string, id: string | null, name: string | null): Actor {
  return { kind: kind as Actor['kind'], id, name }; // written by the service alone
}

/** The date of a day that is counted since 1970-01-01 UTC. */
function toDay(day: number): string {
  return toTimestamp(day * 86_400_000).slice(0, 10);
}
