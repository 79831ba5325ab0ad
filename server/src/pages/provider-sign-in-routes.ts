import type { FastifyInstance, FastifyReply } from 'fastify';
import type { OwnCookies } from '../http/authentication/own-cookies.ts';
import type {
  ProviderSignInService,
  SignInAttempt,
  SignInFault,
} from '../users/sessions/provider-sign-in-service.ts';
import type { Fault } from './page-layout.ts';
import { redirect, sendPage } from './page-routes.ts';
import { readReturnPath, relativeTo } from './return-path.ts';
import { renderMessage } from './sign-in-page.ts';
import { browserOf, findUser, type SignInRoutesOptions, welcome } from './sign-in-routes.ts';

interface ProviderSignInRoutesOptions extends SignInRoutesOptions {
  readonly providerSignIn: ProviderSignInService;
}

/** One cookie for each sign-in that is under way: several tabs can sign in at the same time. */
const cookieBeginning = 'muster_provider_';
const cookieSeconds = 600;
const maxAttempts = 5;

interface KeptAttempt extends SignInAttempt {
  readonly returnTo: string;
  /** Milliseconds. */
  readonly startedAt: number;
}

/** Sign-in through the identity provider. Everything about it is in a cookie, so that any replica can end it. */
export function mountProviderSignInRoutes(app: FastifyInstance, options: ProviderSignInRoutesOptions): void {
  const { providerSignIn, cookies, admitter, now } = options;

  app.get('/sign_in/provider', async (request, reply) => {
    const { return_to: asked } = request.query as Readonly<Record<string, unknown>>; // parsed by Fastify
    const { url, attempt } = await providerSignIn.begin();
    const earlier = cookies.namesIn(request.headers, cookieBeginning);
    if (earlier.length >= maxAttempts) {
      for (const name of earlier) reply.header('Set-Cookie', cookies.clear(name));
    }
    const kept: KeptAttempt = { ...attempt, returnTo: readReturnPath(asked), startedAt: now() };
    reply.header('Set-Cookie', cookies.set(cookieOf(attempt.state), toCookie(kept), cookieSeconds));
    return redirect(reply, url);
  });

  app.get('/sign_in/callback', async (request, reply) => {
    reply.header('Referrer-Policy', 'no-referrer');
    const { state } = request.query as Readonly<Record<string, unknown>>; // parsed by Fastify
    const kept = typeof state === 'string' ? readAttempt(cookies, request.headers, state) : undefined;
    if (kept === undefined || now() - kept.startedAt > cookieSeconds * 1_000) {
      // As with the button for the previous page, after the sign-in.
      if ((await findUser(admitter, request)) !== undefined) return redirect(reply, '../');
      return refuse(reply, 400, unknownAttempt);
    }
    // Whatever comes of it, it is over.
    reply.header('Set-Cookie', cookies.clear(cookieOf(kept.state)));
    const [, query = ''] = request.url.split('?', 2);
    const outcome = await providerSignIn.finish(kept, query, browserOf(request, cookies));
    if (typeof outcome === 'string') return refuse(reply, faults[outcome].status, faults[outcome]);
    return welcome(reply, options, outcome, relativeTo('../', kept.returnTo));
  });
}

function cookieOf(state: string): string {
  return cookieBeginning + state.slice(0, 16).replaceAll(/[^\w-]/g, '');
}

function toCookie(kept: KeptAttempt): string {
  return Buffer.from(JSON.stringify(kept)).toString('base64url');
}

/** Undefined if the browser has begun no sign-in with this state. */
function readAttempt(
  cookies: OwnCookies,
  headers: Parameters<OwnCookies['read']>[0],
  state: string,
): KeptAttempt | undefined {
  const text = cookies.read(headers, cookieOf(state));
  if (text === undefined) return undefined;
  const kept = parse(text);
  return kept?.state === state ? kept : undefined;
}

function parse(text: string): KeptAttempt | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    if (typeof value !== 'object' || value === null) return undefined;
    const { state, nonce, verifier, returnTo, startedAt } = value as Readonly<Record<string, unknown>>; // an object
    if (typeof state !== 'string' || typeof nonce !== 'string' || typeof verifier !== 'string')
      return undefined;
    if (typeof startedAt !== 'number') return undefined;
    return { state, nonce, verifier, startedAt, returnTo: readReturnPath(returnTo) };
  } catch {
    return undefined;
  }
}

const unknownAttempt: Fault = {
  title: 'This sign-in cannot be finished',
  text: 'It was begun in another browser or more than ten minutes ago, or it is already finished. Nobody was signed in. Sign in again.',
};

const faults: Readonly<Record<SignInFault, Fault & { readonly status: number }>> = {
  denied: {
    status: 403,
    title: 'The identity provider did not sign you in',
    text: 'It was cancelled, or the identity provider does not let you use Muster. Try again, or ask who manages the identity provider.',
  },
  client: {
    status: 502,
    title: 'The identity provider does not accept this service',
    text: 'The settings do not match those of the identity provider. An administrator checks MUSTER_OIDC_CLIENT_ID, MUSTER_OIDC_CLIENT_SECRET and the redirect URI.',
  },
  invalid: {
    status: 400,
    title: 'The identity provider gave no valid answer',
    text: 'Nobody was signed in. Sign in again. If this happens each time, an administrator finds the reason in the log of the service.',
  },
};

function refuse(reply: FastifyReply, status: number, { title, text }: Fault): FastifyReply {
  return sendPage(reply, status, renderMessage({ root: '../', title, text }));
}
