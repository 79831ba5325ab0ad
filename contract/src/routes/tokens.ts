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
  description: 'Newest first. Active and expiring tokens, unless `status` asks otherwise.',
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
    'The value is in this answer and nowhere else. A project token can only grant what it holds, to a token that ends no later than itself: with no `expiresAt` the new token ends with its creator.',
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
  answer: { status: 200, schema: Token, description: 'The token, its value masked.' },
  problems: ['not_found'],
});

export const updateToken = defineRoute({
  operationID: 'updateToken',
  method: 'PATCH',
  path: '/v1/project_tokens/{tokenID}',
  tag: 'Tokens',
  summary: 'Update a token',
  description:
    'What is absent stays as it is. Holds for every request that starts after the answer. An earlier `expiresAt` moves that of the tokens created with it too, and those tokens may do no more than this one may. A project token can only widen a token by what it holds and to no later end than its own; that token is then revoked with it, as one that it created.',
  credentials: ['access', 'project'],
  permission: 'update:token',
  params: tokenParams,
  body: jsonBody(UpdateToken),
  answer: { status: 200, schema: Token, description: 'The token as it is now, its value masked.' },
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
    'Holds for every request that starts after the answer, and for every token that was created with this one. Again: the same answer.',
  credentials: ['access', 'project'],
  permission: 'delete:token',
  params: tokenParams,
  answer: { status: 204, description: 'Revoked.' },
  problems: ['not_found'],
});
