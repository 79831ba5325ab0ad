import { problems } from '@muster/contract';
import { findUnstorable } from '@muster/http/requests/check-text';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { UserPrincipal } from '../foundation/credentials/principal.ts';
import { senderAddress } from '../foundation/http/authentication/sender-address.ts';
import { Refusal } from '../foundation/refusal.ts';
import type { InvitationService } from '../people/members/invitation-service.ts';
import { type Guest, renderFirstToken, renderInvitation } from './invitation-page.ts';
import type { Fault } from './page-layout.ts';
import { fieldOf, redirect, sendPage } from './page-routes.ts';
import { browserOf, findUser, identifyToken, type SignInRoutesOptions } from './sign-in-routes.ts';

interface InvitationRoutesOptions extends SignInRoutesOptions {
  readonly invitations: Pick<InvitationService, 'accept' | 'signUp'>;
}

const maxNameLength = 128;

/** The page on which a user accepts an invitation, and with which a new user signs up. */
export function mountInvitationRoutes(app: FastifyInstance, options: InvitationRoutesOptions): void {
  const { admitter, invitations } = options;

  app.get('/invitation', async (request, reply) => {
    const guest = guestOf(await findUser(admitter, request), options);
    return sendPage(reply, 200, renderInvitation({ guest }));
  });

  app.post('/invitation', async (request, reply) => {
    admitter.requireOwnOrigin(request.headers);
    const user = await findUser(admitter, request);
    const code = fieldOf(request, 'code').trim();
    const name = fieldOf(request, 'name').trim();
    try {
      // The form shows for whom the invitation is accepted. A sign-in in another tab, or a link of another site, may have changed that.
      if (fieldOf(request, 'user') !== (user?.userID ?? '')) {
        const page = renderInvitation({ guest: guestOf(user, options), name, fault: changedUser });
        return sendPage(reply, 409, page);
      }
      if (user === undefined) return await signUp(options, request, reply, { code, name });
      const origin = { address: senderAddress(request), requestID: request.id };
      const { project_id: projectID } = await admitter.countUnknownCodes(request, () =>
        invitations.accept({ ...user, origin }, code),
      );
      return redirect(reply, `./projects/${projectID}`);
    } catch (error) {
      if (!(error instanceof Refusal) || problems[error.code].status >= 500) throw error;
      if (error.retryAfterSeconds !== undefined)
        reply.header('Retry-After', String(Math.ceil(error.retryAfterSeconds)));
      const fault: Fault = { title: problems[error.code].title, text: error.detail };
      const page = renderInvitation({ guest: guestOf(user, options), name, fault });
      return sendPage(reply, problems[error.code].status, page);
    }
  });
}

const changedUser: Fault = {
  title: 'Somebody else is signed in now',
  text: 'Since you opened this page, this browser was signed in or out. The invitation was not used. Look for whom you accept it, and enter its code again.',
};

function guestOf(user: UserPrincipal | undefined, { provider }: SignInRoutesOptions): Guest {
  if (user !== undefined) return { kind: 'user', id: user.userID, name: user.name };
  return provider === undefined ? { kind: 'newcomer' } : { kind: 'provider', host: provider };
}

/** Creates the user, signs the browser in, and shows the access token once. */
async function signUp(
  options: InvitationRoutesOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  { code, name }: { readonly code: string; readonly name: string },
): Promise<FastifyReply> {
  const { admitter, cookies, invitations, now, sessions } = options;
  if (name === '' || [...name].length > maxNameLength)
    throw new Refusal('invalid_body', { detail: `Enter your name: 1 to ${maxNameLength} characters.` });
  const unstorable = findUnstorable(name);
  if (unstorable !== undefined)
    throw new Refusal('invalid_body', { detail: `Your name ${unstorable.message}.` });
  const origin = { address: senderAddress(request), requestID: request.id };
  const { member, token } = await admitter.countUnknownCodes(request, () =>
    invitations.signUp(code, name, origin),
  );
  const user = await identifyToken(admitter, request, token);
  const session = await sessions.createWithToken(user, token, browserOf(request, cookies));
  const maxAge = Math.max(1, Math.ceil((session.expiresAt - now()) / 1_000));
  reply.header('Set-Cookie', cookies.setSession(session.secret.reveal(), maxAge));
  const page = renderFirstToken({ name, token: token.reveal(), projectID: member.project_id });
  return sendPage(reply, 200, page);
}
