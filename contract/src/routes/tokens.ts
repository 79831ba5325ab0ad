import { Type } from 'typebox';
import { defineRoute, jsonBody } from '../route.ts';
import { IDParameter, NameFilter, OneOf, pageQuery } from '../schemas/common.ts';
import {
  CreateToken,
  RevokeToken,
  RotateToken,
  Token,
  TokenUsage,
  tokenSorts,
  tokenStatuses,
  UpdateToken,
} from '../schemas/token.ts';

const projectParams = Type.Object({ projectID: IDParameter('The project.') });
const tokenParams = Type.Object({ tokenID: IDParameter('The token.') });

export const listTokens = defineRoute({
  operationID: 'listTokens',
  method: 'GET',
  path: '/v1/projects/{projectID}/tokens',
  tag: 'Tokens',
  summary: 'List tokens of a project',
  description:
    'Newest first unless `sort` asks for another order. Only active and expiring tokens unless `status` asks for others.',
  credentials: ['access', 'project'],
  permission: 'read:token',
  params: projectParams,
  query: Type.Object({
    ...pageQuery,
    name: NameFilter('tokens'),
    status: Type.Optional(OneOf([...tokenStatuses, 'all'], { description: 'Only tokens in this state.' })),
    sort: Type.Optional(
      OneOf(tokenSorts, {
        description:
          'createdAt: the newest first. expiresAt: only tokens that expire, the soonest first. Absent: createdAt.',
      }),
    ),
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
    'Only this answer contains the value. A project token can grant only permissions that it holds, to a token that expires no later than itself: without `expiresAt` the new token expires together with its creator. The networks and the reports per second of a token limit the tokens that it created, too.',
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

export const getTokenUsage = defineRoute({
  operationID: 'getTokenUsage',
  method: 'GET',
  path: '/v1/project_tokens/{tokenID}/usage',
  tag: 'Tokens',
  summary: 'Get the usage of a token',
  description:
    'Written every five seconds by each replica; this replica writes its own part before it answers.',
  credentials: ['access', 'project'],
  permission: 'read:token',
  params: tokenParams,
  answer: { status: 200, schema: TokenUsage, description: 'Who uses the token.' },
  problems: ['not_found'],
});

export const updateToken = defineRoute({
  operationID: 'updateToken',
  method: 'PATCH',
  path: '/v1/project_tokens/{tokenID}',
  tag: 'Tokens',
  summary: 'Update a token',
  description:
    'Absent fields stay as they are. The change applies to every request that starts after the answer. An earlier `expiresAt` also applies to the tokens that this token created, and those tokens can do no more than this one. A project token can widen another token only by permissions that it holds and to an expiry no later than its own; that token is then revoked together with it, as if it had created it. Only an access token can change `allowedNetworks` and `reportsPerSecond`.',
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

const rotation =
  'Gives the token a new value, which only this answer contains. Everything else stays, including its id and expiry. With `graceSeconds`, the earlier value is accepted beside the new one for that time; with `retireOnUse`, until the new one is used for the first time, on any replica; with both, until the first of the two.';
const lostAnswer =
  'If the answer is lost, the same request with the same `Idempotency-Key` and the same credential gives the same value again, for an hour, until that value is used.';

export const rotateToken = defineRoute({
  operationID: 'rotateToken',
  method: 'POST',
  path: '/v1/project_tokens/{tokenID}/rotate',
  tag: 'Tokens',
  summary: 'Rotate a token',
  description: `${rotation} Without both, all earlier values end at once. ${lostAnswer} A project token can rotate another one only if it holds all permissions of that token and expires no earlier; that token is then revoked together with it and can do no more than it, as if it had created it.`,
  credentials: ['access', 'project'],
  permission: 'update:token',
  takesIdempotencyKey: true,
  params: tokenParams,
  body: jsonBody(RotateToken),
  answer: { status: 200, schema: Token, description: 'The token with its new value.' },
  problems: [
    'not_found',
    'permissions_exceed_own',
    'expiry_exceeds_own',
    'token_revoked',
    'token_expired',
    'too_many_valid_values',
  ],
});

export const getOwnToken = defineRoute({
  operationID: 'getOwnToken',
  method: 'GET',
  path: '/v1/project_tokens/self',
  tag: 'Tokens',
  summary: 'Get the token of the request',
  credentials: ['project'],
  answer: { status: 200, schema: Token, description: 'The token of the request with its value masked.' },
});

export const rotateOwnToken = defineRoute({
  operationID: 'rotateOwnToken',
  method: 'POST',
  path: '/v1/project_tokens/self/rotate',
  tag: 'Tokens',
  summary: 'Rotate the token of the request',
  description: `${rotation} Without both, \`retireOnUse\` is true, so that a lost answer locks nobody out. ${lostAnswer} A value in its grace gets no new one, which would last longer.`,
  credentials: ['project'],
  permission: 'update:own_token',
  takesIdempotencyKey: true,
  body: jsonBody(RotateToken),
  answer: { status: 200, schema: Token, description: 'The token with its new value.' },
  problems: ['expiry_exceeds_own', 'token_revoked', 'token_expired', 'too_many_valid_values'],
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

export const revokeTokenWithReason = defineRoute({
  operationID: 'revokeTokenWithReason',
  method: 'POST',
  path: '/v1/project_tokens/{tokenID}/revoke',
  tag: 'Tokens',
  summary: 'Revoke a token with a reason, or together with its agents',
  description:
    'As `DELETE`, which gives no reason and keeps the agents. With `revokeAgents`, which needs `delete:agent` too, the agents that registered with the token, or with one that it created, are refused from then on. Repeating the request keeps the first reason.',
  credentials: ['access', 'project'],
  permission: 'delete:token',
  repeatable: true,
  params: tokenParams,
  body: jsonBody(RevokeToken),
  answer: { status: 200, schema: Token, description: 'The revoked token.' },
  problems: ['not_found'],
});
