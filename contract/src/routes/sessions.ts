import { Type } from 'typebox';
import { defineRoute } from '../route.ts';
import { IDParameter, pageQuery } from '../schemas/common.ts';
import { Session, SignInLink, signInLinkMinutes } from '../schemas/session.ts';

const access = { tag: 'Access', credentials: ['access'] } as const;

export const createSignInLink = defineRoute({
  operationID: 'createSignInLink',
  method: 'POST',
  path: '/v1/sign_in_links',
  summary: 'Create a link that signs a browser in',
  description: `The link works once, within ${signInLinkMinutes} minutes. The session does no more than the access token of the request, and ends with it. A session and a token of the identity provider cannot create one.`,
  ...access,
  answer: { status: 201, schema: SignInLink, description: 'The link, which is shown only here.' },
  problems: ['too_many_new_credentials'],
});

export const listSessions = defineRoute({
  operationID: 'listSessions',
  method: 'GET',
  path: '/v1/sessions',
  summary: 'List the browsers in which you are signed in',
  description:
    'Newest first, without those that have ended. A narrowed access token sees the sessions that were created with it. Administrators of the installation can list the sessions of any user.',
  ...access,
  query: Type.Object({
    ...pageQuery,
    user_id: Type.Optional(
      IDParameter('Sessions of this user instead of your own, for administrators of the installation.'),
    ),
  }),
  answer: { status: 200, schema: Type.Array(Session), description: 'A page of sessions.', paged: true },
  problems: ['not_found'],
});

export const revokeSession = defineRoute({
  operationID: 'revokeSession',
  method: 'DELETE',
  path: '/v1/sessions/{sessionID}',
  summary: 'Revoke a session',
  description:
    'Applies to every request that starts after the answer. Administrators of the installation can revoke the sessions of any user.',
  ...access,
  params: Type.Object({ sessionID: IDParameter('The session.') }),
  answer: { status: 204, description: 'Revoked.' },
  problems: ['not_found'],
});

export const signOut = defineRoute({
  operationID: 'signOut',
  method: 'DELETE',
  path: '/v1/sessions/self',
  summary: 'Sign out',
  description:
    'Revokes the session of the request and removes its cookie. Does nothing for an access token, which is not a session.',
  ...access,
  answer: { status: 204, description: 'Signed out.' },
});
