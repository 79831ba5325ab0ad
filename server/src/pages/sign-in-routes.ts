import { isWellFormedSignInSecret, type ProblemCode, problems, routes } from '@muster/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { requireUser, type UserPrincipal } from '../foundation/credentials/principal.ts';
import type { Admitter } from '../foundation/http/authentication/admitter.ts';
import { hasCredential } from '../foundation/http/authentication/authenticate.ts';
import type { OwnCookies } from '../foundation/http/authentication/own-cookies.ts';
import { senderAddress } from '../foundation/http/authentication/sender-address.ts';
import { Refusal } from '../foundation/refusal.ts';
import { Secret } from '../foundation/secret.ts';
import type { Browser, NewSession, SessionService } from '../people/users/sessions/session-service.ts';
import type { LinkFault, SignInLinkService } from '../people/users/sessions/sign-in-link-service.ts';
import type { Fault } from './page-layout.ts';
import { fieldOf, redirect, sendPage } from './page-routes.ts';
import { readReturnPath, relativeTo } from './return-path.ts';
import { renderLink, renderMessage, renderSignIn } from './sign-in-page.ts';

export interface SignInRoutesOptions {
  readonly admitter: Admitter;
  readonly cookies: OwnCookies;
  readonly sessions: SessionService;
  readonly signInLinks: SignInLinkService;
  /** The host of the identity provider; undefined: nobody signs in through one. */
  readonly provider: string | undefined;
  readonly now: () => number;
}

const linkCookie = 'muster_sign_in_link';
const linkCookieSeconds = 600;

/** The pages on which a browser signs in and out. */
export function mountSignInRoutes(app: FastifyInstance, options: SignInRoutesOptions): void {
  const { admitter, cookies, sessions, signInLinks, provider } = options;

  app.get('/sign_in', async (request, reply) => {
    const { return_to: asked, signed_out: out } = request.query as Readonly<Record<string, unknown>>; // parsed by Fastify
    const returnTo = readReturnPath(asked);
    if ((await findUser(admitter, request)) !== undefined) return redirect(reply, relativeTo('', returnTo));
    const news = out === undefined ? undefined : signedOut;
    return sendPage(reply, 200, renderSignIn({ root: '', provider, returnTo, news }));
  });

  app.post('/sign_in', async (request, reply) => {
    admitter.requireOwnOrigin(request.headers);
    const returnTo = readReturnPath(fieldOf(request, 'return_to'));
    const token = new Secret(fieldOf(request, 'token').trim());
    try {
      const user = await identifyToken(admitter, request, token);
      const session = await sessions.createWithToken(user, token, browserOf(request, cookies));
      return welcome(reply, options, session, relativeTo('', returnTo));
    } catch (error) {
      if (!(error instanceof Refusal) || problems[error.code].status >= 500) throw error;
      if (error.retryAfterSeconds !== undefined)
        reply.header('Retry-After', String(Math.ceil(error.retryAfterSeconds)));
      const page = { root: '', provider, returnTo, fault: faultOf(error), isFaultOfToken: true } as const;
      return sendPage(reply, problems[error.code].status, renderSignIn(page));
    }
  });

  // The secret leaves the address at once: it must be in no history and in no Referer.
  app.get<{ Params: { secret: string } }>('/sign_in/link/:secret', async ({ params }, reply) => {
    reply.header('Referrer-Policy', 'no-referrer');
    // The cookie would be sent with every request, and would replace that of a link that is not confirmed yet.
    if (!isWellFormedSignInSecret('signInLink', params.secret)) {
      const { status, title, text } = linkFaults.unknown;
      return sendPage(reply, status, renderMessage({ root: '../../', title, text }));
    }
    reply.header('Set-Cookie', cookies.set(linkCookie, params.secret, linkCookieSeconds));
    return redirect(reply, '../link');
  });

  app.get('/sign_in/link', async (request, reply) => {
    const secret = cookies.read(request.headers, linkCookie);
    const found = secret === undefined ? 'unknown' : await signInLinks.describe(secret);
    if (found === 'unknown' && secret !== undefined) admitter.countUnknownCode(request);
    if (typeof found === 'string') return refuseLink(reply, cookies, found);
    const isSignedIn = cookies.readSession(request.headers) !== undefined;
    return sendPage(reply, 200, renderLink({ ...found, isSignedIn }));
  });

  app.post('/sign_in/link', async (request, reply) => {
    admitter.requireOwnOrigin(request.headers);
    const secret = cookies.read(request.headers, linkCookie);
    const outcome =
      secret === undefined
        ? 'unknown'
        : await signInLinks.redeem(secret, fieldOf(request, 'link'), browserOf(request, cookies));
    if (outcome === 'unknown' && secret !== undefined) admitter.countUnknownCode(request);
    // Another link was opened meanwhile, maybe by another site. The page asks again, with the name of its user.
    if (outcome === 'not shown') return redirect(reply, './link');
    if (typeof outcome === 'string') return refuseLink(reply, cookies, outcome);
    reply.header('Set-Cookie', cookies.clear(linkCookie));
    return welcome(reply, options, outcome, '../');
  });

  app.post('/sign_out', async (request, reply) => {
    admitter.requireOwnOrigin(request.headers);
    const user = await findUser(admitter, request);
    const origin = { address: senderAddress(request), requestID: request.id };
    if (user !== undefined) await sessions.signOut({ ...user, origin });
    reply.header('Set-Cookie', cookies.clearSession());
    return redirect(reply, './sign_in?signed_out');
  });
}

const signedOut: Fault = { title: 'You are signed out', text: 'The session of this browser has ended.' };

/** Signs the browser in. */
export function welcome(
  reply: FastifyReply,
  { cookies, now }: Pick<SignInRoutesOptions, 'cookies' | 'now'>,
  { secret, expiresAt }: NewSession,
  location: string,
): FastifyReply {
  const maxAge = Math.max(1, Math.ceil((expiresAt - now()) / 1_000));
  reply.header('Set-Cookie', cookies.setSession(secret.reveal(), maxAge));
  return redirect(reply, location);
}

export function browserOf(request: FastifyRequest, cookies: OwnCookies): Browser {
  const earlier = cookies.readSession(request.headers);
  return {
    address: senderAddress(request),
    userAgent: request.headers['user-agent'],
    requestID: request.id,
    earlierSession: earlier === undefined ? undefined : new Secret(earlier),
  };
}

/** The user of the session of a request; undefined if it has none that is valid. */
export async function findUser(
  admitter: Admitter,
  request: FastifyRequest,
): Promise<UserPrincipal | undefined> {
  const { headers } = request;
  // A page is opened by a browser, which presents nothing else.
  if (hasCredential(headers)) return undefined;
  try {
    const caller = await admitter.identify(routes.listProjects.credentials, headers, false, request);
    const { principal } = admitter.admit(routes.listProjects, headers, caller, () => undefined);
    return requireUser(principal);
  } catch (error) {
    if (error instanceof Refusal && problems[error.code].status === 401) return undefined;
    throw error;
  }
}

export async function identifyToken(
  admitter: Admitter,
  request: FastifyRequest,
  token: Secret,
): Promise<UserPrincipal> {
  const headers = { authorization: `Bearer ${token.reveal()}` };
  const { principal } = await admitter.identify(['access'], headers, false, request);
  return requireUser(principal);
}

const faults: Partial<Readonly<Record<ProblemCode, Fault>>> = {
  missing_credential: { title: 'No token', text: 'Paste an access token.' },
  invalid_credential: {
    title: 'This token is not valid',
    text: 'It is mistyped, cut off, or of another installation. Copy the whole token again.',
  },
  masked_credential: {
    title: 'This token is masked',
    text: 'Lists show only the end of a token. Paste the whole value, or create another token with: muster access-token create NAME',
  },
  expired_credential: {
    title: 'This token has expired',
    text: 'Create another one with: muster access-token create NAME',
  },
  revoked_credential: {
    title: 'This token was revoked',
    text: 'Create another one with: muster access-token create NAME',
  },
  rotated_credential: {
    title: 'This token was rotated',
    text: 'Its old value has ended. Paste the new value.',
  },
  credential_kind_not_accepted: {
    title: 'This is no access token',
    text: 'People sign in with an access token, which begins with mst_u_. Project tokens and agent tokens are for programs.',
  },
};

function faultOf({ code, detail }: Refusal): Fault {
  return faults[code] ?? { title: problems[code].title, text: detail };
}

const howToGetALink = 'Get another one with: muster login --web';

const linkFaults: Readonly<Record<LinkFault, Fault & { readonly status: 404 | 410 }>> = {
  unknown: {
    status: 404,
    title: 'This link is not complete',
    text: `Copy the whole link into the address bar of this browser and open it again. ${howToGetALink}`,
  },
  used: {
    status: 410,
    title: 'This link was already used',
    text: `A sign-in link works once. ${howToGetALink}`,
  },
  expired: { status: 410, title: 'This link has expired', text: howToGetALink },
  ended: {
    status: 410,
    title: 'This link no longer works',
    text: `The access token that created it was revoked or rotated, or has expired. ${howToGetALink}`,
  },
};

function refuseLink(reply: FastifyReply, cookies: OwnCookies, fault: LinkFault): FastifyReply {
  const { status, title, text } = linkFaults[fault];
  reply.header('Set-Cookie', cookies.clear(linkCookie));
  return sendPage(reply, status, renderMessage({ root: '../', title, text }));
}
