import { Type } from 'typebox';
import { defineRoute, jsonBody } from '../route.ts';
import { IDParameter, pageQuery } from '../schemas/common.ts';
import { RotateToken } from '../schemas/token.ts';
import { AccessToken, CreateAccessToken, Me, maxAccessTokens } from '../schemas/user.ts';

export const getMe = defineRoute({
  operationID: 'getMe',
  method: 'GET',
  path: '/v1/me',
  tag: 'Access',
  summary: 'Get the caller',
  credentials: ['access', 'project', 'agent', 'core_instance'],
  answer: { status: 200, schema: Me, description: 'Whom the credential identifies and what it may do.' },
  problems: ['agent_deleted', 'core_instance_deleted'],
});

export const listAccessTokens = defineRoute({
  operationID: 'listAccessTokens',
  method: 'GET',
  path: '/v1/access_tokens',
  tag: 'Access',
  summary: 'List your access tokens',
  description: 'Newest first. A narrowed access token sees itself and those that were created with it.',
  credentials: ['access'],
  query: Type.Object(pageQuery),
  answer: {
    status: 200,
    schema: Type.Array(AccessToken),
    description: 'A page of access tokens.',
    paged: true,
  },
});

export const createAccessToken = defineRoute({
  operationID: 'createAccessToken',
  method: 'POST',
  path: '/v1/access_tokens',
  tag: 'Access',
  summary: 'Create an access token for yourself',
  description: `It can be narrowed to permissions and projects. It can do no more than the access token that creates it, expires no later, and is revoked with it. Created with a token of the identity provider, it lasts for as many hours as \`MUSTER_OIDC_ACCESS_TOKEN_HOURS\` says at most. A user has at most ${maxAccessTokens} valid ones.`,
  credentials: ['access'],
  body: jsonBody(CreateAccessToken),
  answer: { status: 201, schema: AccessToken, description: 'The token with its value.' },
  problems: [
    'expiry_exceeds_own',
    'permissions_exceed_own',
    'invalid_permission',
    'not_found',
    'too_many_access_tokens',
    'too_many_new_credentials',
  ],
});

export const getOwnAccessToken = defineRoute({
  operationID: 'getOwnAccessToken',
  method: 'GET',
  path: '/v1/access_tokens/self',
  tag: 'Access',
  summary: 'Get the access token of the request',
  credentials: ['access'],
  answer: {
    status: 200,
    schema: AccessToken,
    description: 'The token of the request with its value masked.',
  },
});

export const rotateAccessToken = defineRoute({
  operationID: 'rotateAccessToken',
  method: 'POST',
  path: '/v1/access_tokens/{accessTokenID}/rotate',
  tag: 'Access',
  summary: 'Rotate one of your access tokens',
  description:
    'As for project tokens. An access token rotates itself and those that it created; a token of the identity provider rotates all that do not outlast what it may create. For the token of the request, `retireOnUse` is true if neither field is given, so that a lost answer locks nobody out. The token that the installation defines (`MUSTER_ADMIN_TOKEN`) cannot be rotated here.',
  credentials: ['access'],
  takesIdempotencyKey: true,
  params: Type.Object({ accessTokenID: IDParameter('The access token.') }),
  body: jsonBody(RotateToken),
  answer: { status: 200, schema: AccessToken, description: 'The token with its new value.' },
  problems: [
    'not_found',
    'permissions_exceed_own',
    'expiry_exceeds_own',
    'token_revoked',
    'token_expired',
    'token_of_settings',
    'too_many_valid_values',
  ],
});

export const revokeAccessToken = defineRoute({
  operationID: 'revokeAccessToken',
  method: 'DELETE',
  path: '/v1/access_tokens/{accessTokenID}',
  tag: 'Access',
  summary: 'Revoke one of your access tokens',
  description:
    'Applies to every request that starts after the answer, and to every access token that was created with it. A narrowed access token revokes only itself and those.',
  credentials: ['access'],
  params: Type.Object({ accessTokenID: IDParameter('The access token.') }),
  answer: { status: 204, description: 'Revoked.' },
  problems: ['not_found'],
});
