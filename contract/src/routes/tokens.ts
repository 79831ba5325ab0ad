import { Type } from 'typebox';
import { defineRoute, jsonBody } from '../route.ts';
import { IDParameter, NameFilter, OneOf, pageQuery } from '../schemas/common.ts';
import { CreateToken, Token, tokenStatuses, UpdateToken } from '../schemas/token.ts';

const projectParams = Type.Object({ projectID: IDParameter('The project.') });
const tokenParams = Type.Object({ tokenID: IDParameter('The token.') });

export const listTokens = defineRoute({
  operationID: 'listTokens',
  method: 'GET',
  path: '/v1/projects/{projectID}/tokens',
  tag: 'Tokens',
  summary: 'List tokens of a project',
  description: 'Newest first. Only active and expiring tokens unless `status` asks for others.',
  credentials: ['access', 'project'],
  permission: 'read:token',
  params: projectParams,
  query: Type.Object({
    ...pageQuery,
    name: NameFilter('tokens'),
    status: Type.Optional(OneOf([...tokenStatuses, 'all'], { description: 'Only tokens in this state.' })),
  }),
  answer: { status: 200, schema: Type.Array(Token), description: 'A page of tokens.', paged: true },
  problems: ['not_found'],
});

export const createToken = defineRoute({
  operationID: 'createToken',
  method: 'POST',
  path: '/v1/projects/{projectID}/tokens',
  tag: 'Tokens',
  summary: 'Create a token in a project',
  description:
    'Only this answer contains the value. A project token can grant only permissions that it holds, to a token that expires no later than itself: without `expiresAt` the new token expires together with its creator.',
  credentials: ['access', 'project'],
  permission: 'create:token',
  params: projectParams,
  body: jsonBody(CreateToken),
  answer: { status: 201, schema: Token, description: 'The token with its value.' },
  problems: ['not_found', 'invalid_permission', 'permissions_exceed_own', 'expiry_exceeds_own'],
});

export const getToken = defineRoute({
  operationID: 'getToken',
  method: 'GET',
  path: '/v1/project_tokens/{tokenID}',
  tag: 'Tokens',
  summary: 'Get a token',
  credentials: ['access', 'project'],
  permission: 'read:token',
  params: tokenParams,
  answer: { status: 200, schema: Token, description: 'The token with its value masked.' },
  problems: ['not_found'],
});

export const updateToken = defineRoute({
  operationID: 'updateToken',
  method: 'PATCH',
  path: '/v1/project_tokens/{tokenID}',
  tag: 'Tokens',
  summary: 'Update a token',
  description:
    'Absent fields stay as they are. The change applies to every request that starts after the answer. An earlier `expiresAt` also applies to the tokens that this token created, and those tokens can do no more than this one. A project token can widen another token only by permissions that it holds and to an expiry no later than its own; that token is then revoked together with it, as if it had created it.',
  credentials: ['access', 'project'],
  permission: 'update:token',
  params: tokenParams,
  body: jsonBody(UpdateToken),
  answer: { status: 200, schema: Token, description: 'The changed token with its value masked.' },
  problems: [
    'not_found',
    'invalid_permission',
    'permissions_exceed_own',
    'expiry_exceeds_own',
    'token_revoked',
  ],
});

export const revokeToken = defineRoute({
  operationID: 'revokeToken',
  method: 'DELETE',
  path: '/v1/project_tokens/{tokenID}',
  tag: 'Tokens',
  summary: 'Revoke a token',
  description:
    'Applies to every request that starts after the answer, and to every token that this token created. Repeating the request gives the same answer.',
  credentials: ['access', 'project'],
  permission: 'delete:token',
  params: tokenParams,
  answer: { status: 204, description: 'Revoked.' },
  problems: ['not_found'],
});
