import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type {
  ProviderSignInService,
  SignInFault,
} from '../people/users/sessions/provider-sign-in-service.ts';
import { attemptSeconds, type KeptAttempt, readAttempts, toCookie } from './kept-attempts.ts';
import type { Fault } from './page-layout.ts';
import { redirect, sendPage } from './page-routes.ts';
import { readReturnPath, relativeTo } from './return-path.ts';
import { renderMessage } from './sign-in-page.ts';
import { browserOf, findUser, type SignInRoutesOptions, welcome } from './sign-in-routes.ts';

interface ProviderSignInRoutesOptions extends SignInRoutesOptions {
  readonly providerSignIn: ProviderSignInService;
}

const cookieName = 'muster_provider';

/** Sign-in through the identity provider. Everything about it is in a cookie, so that any replica can end it. */
export function mountProviderSignInRoutes(app: FastifyInstance, options: ProviderSignInRoutesOptions): void {
  const { providerSignIn, cookies, admitter, now } = options;

  const attemptsOf = ({ headers }: FastifyRequest) => readAttempts(cookies.read(headers, cookieName), now());
  const keep = (reply: FastifyReply, attempts: readonly KeptAttempt[]) => {
    const text = toCookie(attempts);
    reply.header(
      'Set-Cookie',
      text === undefined ? cookies.clear(cookieName) : cookies.set(cookieName, text, attemptSeconds),
    );
  };

  app.get('/sign_in/provider', async (request, reply) => {
    const { return_to: asked } = request.query as Readonly<Record<string, unknown>>; // parsed by Fastify
    const { url, attempt } = await providerSignIn.begin();
    const begun = { ...attempt, returnTo: readReturnPath(asked), startedAt: now() };
    keep(reply, [begun, ...attemptsOf(request)]);
    return redirect(reply, url);
  });

  app.get('/sign_in/callback', async (request, reply) => {
    reply.header('Referrer-Policy', 'no-referrer');
    const { state } = request.query as Readonly<Record<string, unknown>>; // parsed by Fastify
    const attempts = attemptsOf(request);
    const kept = attempts.find((one) => one.state === state);
    if (kept === undefined) {
      // As with the button for the previous page, after the sign-in.
      if ((await findUser(admitter, request)) !== undefined) return redirect(reply, '../');
      return refuse(reply, 400, unknownAttempt);
    }
    // Whatever comes of it, it is over.
    keep(
      reply,
      attempts.filter((one) => one !== kept),
    );
    const [, query = ''] = request.url.split('?', 2);
    const outcome = await providerSignIn.finish(kept, query, browserOf(request, cookies));
    if (typeof outcome === 'string') return refuse(reply, faults[outcome].status, faults[outcome]);
    return welcome(reply, options, outcome, relativeTo('../', kept.returnTo));
  });
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
