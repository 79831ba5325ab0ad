import { routes, type Session, type SessionMethod } from '@muster/contract';
import { toTimestamp } from '../../../foundation/clock.ts';
import { requireUser, type UserPrincipal } from '../../../foundation/credentials/principal.ts';
import { presentedSecret } from '../../../foundation/http/authentication/authenticate.ts';
import type { OwnCookies } from '../../../foundation/http/authentication/own-cookies.ts';
import { answerPage, pageOf, type RouteMounter } from '../../../foundation/http/mount-route.ts';
import { signInLinkUrl } from '../../sign-in-link-url.ts';
import type { SessionService } from './session-service.ts';
import type { SessionWithUser } from './session-store.ts';
import type { SignInLinkService } from './sign-in-link-service.ts';

interface SessionRoutesOptions {
  readonly sessions: SessionService;
  readonly signInLinks: SignInLinkService;
  readonly cookies: OwnCookies;
  readonly publicUrl: string | undefined;
}

export function mountSessionRoutes(
  mounter: RouteMounter,
  { sessions, signInLinks, cookies, publicUrl }: SessionRoutesOptions,
): void {
  mounter.mount(routes.createSignInLink, async ({ principal, request }) => {
    const presented = presentedSecret(routes.createSignInLink.credentials, request.headers);
    const { secret, expiresAt } = await signInLinks.create(requireUser(principal), presented);
    return {
      url: signInLinkUrl(publicUrl ?? `${request.protocol}://${request.host}`, secret),
      expiresAt: toTimestamp(expiresAt),
    };
  });

  mounter.mount(routes.listSessions, async (call) => {
    const user = requireUser(call.principal);
    const userID = call.query.user_id;
    const list = `sessions of ${userID ?? user.userID}`;
    const page = await sessions.list(user, userID, pageOf(list, call));
    return answerPage(list, call, page, (row) => toSession(row, user));
  });

  mounter.mount(routes.revokeSession, async ({ principal, params }) => {
    await sessions.revoke(requireUser(principal), params.sessionID);
    return undefined;
  });

  mounter.mount(routes.signOut, async ({ principal, reply }) => {
    const user = requireUser(principal);
    await sessions.signOut(user);
    if (user.session !== undefined) reply.header('Set-Cookie', cookies.clearSession());
    return undefined;
  });
}

function toSession(row: SessionWithUser, user: UserPrincipal): Session {
  return {
    id: row.id,
    userID: row.user_id,
    userName: row.user_name,
    method: row.method as SessionMethod, // written by the service alone
    accessTokenID: row.access_token_id,
    createdAt: toTimestamp(row.created_at),
    lastUsedAt: toTimestamp(row.last_used_at),
    expiresAt: toTimestamp(row.expires_at),
    address: row.address,
    userAgent: row.user_agent,
    current: row.id === user.session?.id,
  };
}
