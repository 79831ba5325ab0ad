import { type AccessToken, type Me, maskToken, maxProjectsOfMe, routes, type User } from '@muster/contract';
import type { AgentService } from '../../fleet/agents/agent-service.ts';
import { toNullableTimestamp, toTimestamp } from '../../foundation/clock.ts';
import {
  grantsOfUser,
  isOutsider,
  outsiderNote,
  type Principal,
  projectOf,
  requireUser,
  type UserPrincipal,
} from '../../foundation/credentials/principal.ts';
import { answerPage, pageOf, type RouteMounter } from '../../foundation/http/mount-route.ts';
import { readRotation } from '../../foundation/http/requests/read-rotation.ts';
import type { AccessTokenService } from './access-token-service.ts';
import type { AccessTokenRow } from './access-token-store.ts';
import { narrowingOf } from './user-access.ts';
import type { DescribedUser, UserService } from './user-service.ts';

export function mountUserRoutes(
  mounter: RouteMounter,
  users: UserService,
  accessTokens: AccessTokenService,
  agents: Pick<AgentService, 'requireSelf'>,
  readBackups: () => Me['backups'],
): void {
  mounter.mount(routes.getMe, async ({ principal }) => {
    // The token of a deleted agent still identifies it, so that the agent gets 410.
    const { name } = principal.kind === 'agent' ? await agents.requireSelf(principal) : principal;
    return principal.kind === 'access'
      ? { ...toMe(principal, name), ...(await describeAccess(principal)) }
      : toMe(principal, name);
  });

  async function describeAccess(user: UserPrincipal): Promise<Partial<Me>> {
    const { access } = user;
    const projects = await users.listProjectsOf(user, maxProjectsOfMe);
    const installationPermissions = [...access.installation];
    const backups = installationPermissions.includes('*') ? readBackups() : undefined;
    return {
      installationPermissions,
      ...(backups && { backups }),
      projects: projects.map(({ id, name }) => ({
        id,
        name,
        permissions: [...(grantsOfUser(access, id) ?? [])],
      })),
      ...(isOutsider(access) && { note: outsiderNote }),
      ...(user.session && { sessionID: user.session.id }),
    };
  }

  mounter.mount(routes.listAccessTokens, async (call) => {
    const user = requireUser(call.principal);
    const list = `access tokens of ${user.userID}`;
    const page = await accessTokens.list(user, pageOf(list, call));
    return answerPage(list, call, page, (row) => toAccessToken(row, maskToken('access', row.last_four)));
  });

  mounter.mount(routes.createAccessToken, async ({ principal, body }) => {
    const { row, secret } = await accessTokens.create(requireUser(principal), body);
    return toAccessToken(row, secret.reveal());
  });

  mounter.mount(routes.getOwnAccessToken, async ({ principal }) => {
    const row = await accessTokens.getOwn(requireUser(principal));
    return toAccessToken(row, maskToken('access', row.last_four));
  });

  mounter.mount(routes.rotateAccessToken, async ({ principal, params, body, request }) => {
    const rotation = readRotation(routes.rotateAccessToken, request, body);
    const { row, secret } = await accessTokens.rotate(requireUser(principal), params.accessTokenID, rotation);
    return toAccessToken(row, secret.reveal());
  });

  mounter.mount(routes.revokeAccessToken, async ({ principal, params }) => {
    await accessTokens.revoke(requireUser(principal), params.accessTokenID);
    return undefined;
  });

  mounter.mount(routes.listUsers, async (call) => {
    const page = await users.list(pageOf('users', call));
    return answerPage('users', call, page, toUser);
  });
}

function toMe(principal: Principal, name: string): Me {
  return {
    kind: principal.kind,
    id: idOf(principal),
    name,
    permissions: [...(principal.kind === 'access' ? principal.access.everyProject : principal.grants)],
    projectID: projectOf(principal) ?? null,
    expiresAt: toNullableTimestamp(principal.expiresAt),
  };
}

function idOf(principal: Principal): string {
  switch (principal.kind) {
    case 'access':
      return principal.userID;
    case 'project':
      return principal.tokenID;
    case 'agent':
      return principal.agentID;
    case 'core_instance':
      return principal.coreInstanceID;
  }
}

function toAccessToken(row: AccessTokenRow, shownValue: string): AccessToken {
  const narrowing = narrowingOf(row);
  return {
    id: row.id,
    token: shownValue,
    name: row.name,
    createdAt: toTimestamp(row.created_at),
    expiresAt: toNullableTimestamp(row.expires_at),
    lastUsedAt: toNullableTimestamp(row.last_used_at),
    permissions: narrowing.grants === null ? null : [...narrowing.grants],
    projects: narrowing.projectIDs === null ? null : [...narrowing.projectIDs],
    leakedAt: toNullableTimestamp(row.leaked_at),
    leakSource: row.leak_source,
    createdWith: row.parent_id,
  };
}

function toUser({ row, claimValues, hasAccess }: DescribedUser): User {
  return {
    id: row.id,
    name: row.name,
    issuer: row.issuer,
    subject: row.subject,
    administrator: row.is_administrator === 1,
    claimValues: [...claimValues],
    projectsCount: row.projects_count,
    hasAccess,
    createdAt: toTimestamp(row.created_at),
  };
}
