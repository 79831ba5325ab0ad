import { type Static, Type } from 'typebox';
import { ID, Nullable, OneOf, Timestamp, TimestampOf } from './common.ts';

const sessionMethods = ['sign_in_link', 'access_token', 'identity_provider'] as const;

/** How somebody signed in. */
export type SessionMethod = (typeof sessionMethods)[number];

export const Session = Type.Object(
  {
    id: ID,
    userID: ID,
    userName: Type.String({ examples: ['Ada Lovelace'] }),
    method: OneOf(sessionMethods, {
      description:
        '`sign_in_link`: with a link that works once. `access_token`: with an access token that was pasted. `identity_provider`: through the identity provider.',
    }),
    accessTokenID: Nullable(
      Type.String({
        format: 'uuid',
        description:
          'The access token with which the session was created. The session does no more than it, and ends with it.',
      }),
    ),
    createdAt: Timestamp,
    lastUsedAt: TimestampOf('When it was last used, to the minute.'),
    expiresAt: TimestampOf(
      'Its latest end. It ends earlier if it is not used for as long as `MUSTER_SESSION_IDLE_HOURS` says.',
    ),
    address: Nullable(
      Type.String({ description: 'From where somebody signed in.', examples: ['192.0.2.7'] }),
    ),
    userAgent: Nullable(
      Type.String({ description: 'What the browser calls itself.', examples: ['Mozilla/5.0'] }),
    ),
    current: Type.Boolean({ description: 'True for the session of the request.' }),
  },
  { description: 'A browser in which a user is signed in.' },
);
export type Session = Static<typeof Session>;

/** How long a sign-in link works that a user asks for. */
export const signInLinkMinutes = 10;

/** Maximum number of links of a user that are neither used nor expired. */
export const maxSignInLinks = 50;

export const SignInLink = Type.Object(
  {
    url: Type.String({
      description: 'Open it in a browser and confirm. It works once.',
      examples: ['https://muster.example.com/sign_in/link/mst_l_…'],
    }),
    expiresAt: Timestamp,
  },
  { description: 'A link with which a browser signs in.' },
);
export type SignInLink = Static<typeof SignInLink>;
