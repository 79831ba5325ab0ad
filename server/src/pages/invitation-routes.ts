import { isWellFormedInvitationCode, problems } from '@muster/contract';
import { findUnstorable } from '@muster/http/requests/check-text';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { UserPrincipal } from '../foundation/credentials/principal.ts';
import { senderAddress } from '../foundation/http/authentication/sender-address.ts';
import { Refusal } from '../foundation/refusal.ts';
import type { InvitationService, ShownInvitation } from '../people/members/invitation-service.ts';
import { type Guest, renderFirstToken, renderInvitation } from './invitation-page.ts';
import type { Fault } from './page-layout.ts';
import { fieldOf, redirect, sendPage } from './page-routes.ts';
import { renderMessage } from './sign-in-page.ts';
import { browserOf, findUser, identifyToken, type SignInRoutesOptions } from './sign-in-routes.ts';

interface InvitationRoutesOptions extends SignInRoutesOptions {
  readonly invitations: Pick<InvitationService, 'accept' | 'describe' | 'signUp'>;
}

const maxNameLength = 128;
const codeCookie = 'muster_invitation';
/** Enough to sign in at an identity provider in between. */
const codeCookieSeconds = 1_800;

/** The page on which a user accepts an invitation, and with which a new user signs up. */
export function mountInvitationRoutes(app: FastifyInstance, options: InvitationRoutesOptions): void {
  const { admitter, cookies, invitations } = options;

  // The code leaves the address at once: it must be in no history and in no Referer.
  app.get<{ Params: { code: string } }>('/invitation/:code', async ({ params: { code } }, reply) => {
    reply.header('Referrer-Policy', 'no-referrer');
    // The cookie would be sent with every request.
    if (!isWellFormedInvitationCode(code)) return sendPage(reply, 404, renderMessage(noInvitation));
    reply.header('Set-Cookie', cookies.set(codeCookie, code, codeCookieSeconds));
    return redirect(reply, '../invitation');
  });

  app.get('/invitation', async (request, reply) => {
    const guest = guestOf(await findUser(admitter, request), options);
    return explain(request, reply, guest, async () => {
      const code = cookies.read(request.headers, codeCookie);
      const invitation = code === undefined ? undefined : await describe(options, request, code);
      return sendPage(reply, 200, renderInvitation({ guest, invitation }));
    });
  });

  app.post('/invitation', async (request, reply) => {
    admitter.requireOwnOrigin(request.headers);
    const user = await findUser(admitter, request);
    const guest = guestOf(user, options);
    const name = fieldOf(request, 'name').trim();
    return explain(request, reply, guest, async () => {
      const shownID = fieldOf(request, 'invitation');
      const ofLink = cookies.read(request.headers, codeCookie);
      const code = shownID === '' ? fieldOf(request, 'code').trim() : (ofLink ?? '');
      const invitation = shownID === '' ? undefined : await describe(options, request, code);
      // Another link was opened meanwhile, maybe by another site. The page asks again, with the name of its project.
      if (invitation !== undefined && invitation.id !== shownID) return redirect(reply, './invitation');
      const page = { guest, invitation, name };
      // The form shows for whom the invitation is accepted. A sign-in in another tab, or a link of another site, may have changed that.
      if (fieldOf(request, 'user') !== (user?.userID ?? ''))
        return sendPage(reply, 409, renderInvitation({ ...page, fault: changedUser }));
      if (user === undefined) {
        const fault = faultOfName(name);
        if (fault !== undefined) return sendPage(reply, 422, renderInvitation({ ...page, fault }));
        return signUp(options, request, reply, { code, name });
      }
      const origin = { address: senderAddress(request), requestID: request.id };
      const { project_id: projectID } = await admitter.countUnknownCodes(request, () =>
        invitations.accept({ ...user, origin }, code),
      );
      reply.header('Set-Cookie', cookies.clear(codeCookie));
      return redirect(reply, `./projects/${projectID}`);
    });
  });

  /** A refused code is not asked for again and again: the page forgets that of a link. */
  async function explain(
    request: FastifyRequest,
    reply: FastifyReply,
    guest: Guest,
    work: () => Promise<FastifyReply>,
  ): Promise<FastifyReply> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Refusal) || problems[error.code].status >= 500) throw error;
      if (error.retryAfterSeconds !== undefined)
        reply.header('Retry-After', String(Math.ceil(error.retryAfterSeconds)));
      if (cookies.read(request.headers, codeCookie) !== undefined)
        reply.header('Set-Cookie', cookies.clear(codeCookie));
      const name = fieldOf(request, 'name').trim();
      const page = renderInvitation({
        guest,
        name,
        fault: { title: problems[error.code].title, text: error.detail },
      });
      return sendPage(reply, problems[error.code].status, page);
    }
  }
}

const noInvitation = {
  root: '../',
  title: 'There is no such invitation',
  text: 'Copy the whole link again, or ask for another one.',
} as const;

const changedUser: Fault = {
  title: 'Somebody else is signed in now',
  text: 'Since you opened this page, this browser was signed in or out. The invitation was not used. Look for whom you accept it, and enter its code again.',
};

function guestOf(user: UserPrincipal | undefined, { provider }: SignInRoutesOptions): Guest {
  if (user !== undefined) return { kind: 'user', id: user.userID, name: user.name };
  return provider === undefined ? { kind: 'newcomer' } : { kind: 'provider', host: provider };
}

/** What is wrong with the name of a new user. */
function faultOfName(name: string): Fault | undefined {
  const { title } = problems.invalid_body;
  if (name === '' || [...name].length > maxNameLength)
    return { title, text: `Enter your name: 1 to ${maxNameLength} characters.` };
  const unstorable = findUnstorable(name);
  return unstorable && { title, text: `Your name ${unstorable.message}.` };
}

/** The invitation of a link. @throws Refusal not_found, invitation_ended, too_many_invalid_credentials */
function describe(
  { admitter, invitations }: InvitationRoutesOptions,
  request: FastifyRequest,
  code: string,
): Promise<ShownInvitation> {
  return admitter.countUnknownCodes(request, () => invitations.describe(code));
}

/** Creates the user, signs the browser in, and shows the access token once. */
async function signUp(
  options: InvitationRoutesOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  { code, name }: { readonly code: string; readonly name: string },
): Promise<FastifyReply> {
  const { admitter, cookies, invitations, now, sessions } = options;
  const origin = { address: senderAddress(request), requestID: request.id };
  const { member, token } = await admitter.countUnknownCodes(request, () =>
    invitations.signUp(code, name, origin),
  );
  const user = await identifyToken(admitter, request, token);
  const session = await sessions.createWithToken(user, token, browserOf(request, cookies));
  const maxAge = Math.max(1, Math.ceil((session.expiresAt - now()) / 1_000));
  reply.header('Set-Cookie', cookies.clear(codeCookie));
  reply.header('Set-Cookie', cookies.setSession(session.secret.reveal(), maxAge));
  const page = renderFirstToken({ name, token: token.reveal(), projectID: member.project_id });
  return sendPage(reply, 200, page);
}
