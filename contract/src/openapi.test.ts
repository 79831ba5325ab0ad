import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { buildOpenApiDocument } from './openapi.ts';
import type { OpenApiOperation, OpenApiSchema } from './openapi-document.ts';
import { problems } from './problems.ts';
import { allRoutes } from './routes/index.ts';

const document = buildOpenApiDocument('1.2.3');
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation, name: `${method} ${path}` })),
);
const { schemas } = document.components;

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    expect(await validator.validate(structuredClone({ ...document }))).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  it('is plain JSON, the same for the same version', () => {
    expect(JSON.parse(JSON.stringify(document))).toStrictEqual(document);
    expect(JSON.stringify(buildOpenApiDocument('1.2.3'))).toBe(JSON.stringify(document));
    expect(document.info.version).toBe('1.2.3');
  });

  it('has every route once, with a unique operation id', () => {
    expect(operations.map(({ name }) => name).sort()).toEqual(
      allRoutes.map(({ method, path }) => `${method.toLowerCase()} ${path}`).sort(),
    );
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !/^[a-z][A-Za-z]+$/.test(id))).toEqual([]);
  });

  it('has no two paths that match the same URL', () => {
    const shapes = Object.keys(document.paths).map((path) => path.replaceAll(/\{\w+\}/g, '{}'));
    expect(new Set(shapes).size).toBe(shapes.length);
  });

  it('describes exactly the tags that it uses', () => {
    const used = new Set(operations.flatMap(({ operation }) => operation.tags));
    expect(document.tags.map(({ name }) => name).sort()).toEqual([...used].sort());
  });

  it('resolves every reference', () => {
    const targets = Object.keys(schemas).map((name) => `#/components/schemas/${name}`);
    expect(referencesIn(document).filter((reference) => !targets.includes(reference))).toEqual([]);
  });

  it('has no unused schema', () => {
    const reached = new Set<string>();
    const follow = (value: unknown): void => {
      for (const reference of referencesIn(value)) {
        const name = reference.replace('#/components/schemas/', '');
        if (reached.has(name)) continue;
        reached.add(name);
        follow(schemas[name]);
      }
    };
    follow(document.paths);
    // A stream of events has no schema in OpenAPI 3.1: the operation names that of its data in a sentence.
    for (const [, name = ''] of JSON.stringify(document.paths).matchAll(/, see (\w+)\./g)) {
      reached.add(name);
      follow(schemas[name]);
    }
    expect(Object.keys(schemas).filter((name) => !reached.has(name))).toEqual([]);
  });

  it('describes every schema', () => {
    const described = Object.entries(schemas).map(([name, { description = '' }]) => ({ name, description }));
    expect(described.filter(({ description }) => !/^[A-Z].*\.$/.test(description))).toEqual([]);
  });

  it('shows only examples that are valid', () => {
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
    addFormats.default(ajv);
    // References lead there.
    ajv.addKeyword('components');
    const { components } = document;
    const withExamples = schemasWithExamples(document);
    expect(withExamples.length).toBeGreaterThan(0);
    for (const schema of withExamples) {
      const validate = ajv.compile({ ...schema, components });
      expect(
        schema.examples.filter((example) => !validate(example)),
        JSON.stringify(schema),
      ).toEqual([]);
    }
  });
});

describe.each(operations)('$name', ({ name: operationName, path, operation }) => {
  const parameters = operation.parameters ?? [];
  const codes = Object.values(operation.responses).flatMap((response) => response['x-problem-codes'] ?? []);

  it('has a required parameter for each placeholder in its path, and no other path parameter', () => {
    const places = [...path.matchAll(/\{(\w+)\}/g)].map(([, place]) => place);
    const inPath = parameters.filter((parameter) => parameter.in === 'path');
    expect(inPath.map(({ name }) => name)).toEqual(places);
    expect(inPath.every(({ required }) => required)).toBe(true);
    expect(parameters.filter(({ required, in: where }) => required && where === 'query')).toEqual([]);
  });

  it('describes itself, its parameters and its answers', () => {
    expect(operation.summary).toMatch(/^[A-Z][^.]+$/);
    expect(operation.description ?? 'Fine.').toMatch(/^[A-Z].*\.$/s);
    expect(parameters.filter(({ description = '' }) => !/^[A-Za-z].*\.$/.test(description))).toEqual([]);
    const descriptions = Object.values(operation.responses).map(({ description }) => description);
    expect(descriptions.filter((description) => !/^[A-Z`].*\.$/s.test(description))).toEqual([]);
  });

  it('says whether it may be repeated: everything except a POST with a further effect', () => {
    const repeatablePosts = [
      // With their Idempotency-Key.
      'rotateToken',
      'rotateOwnToken',
      'rotateAccessToken',
      'revokeTokenWithReason',
      'undoDismissal',
      'createAgentError',
      'createMachineError',
      'releaseAgent',
      'createFleetVersion',
      'validateFleetConfig',
      'applyProvisioning',
      'departProject',
      'readDepartingRows',
      'beginArrival',
      'writeArrivingRows',
      'finishArrival',
      'reportTokenLeaks',
      'muteAgentErrorGroup',
      'unmuteAgentErrorGroup',
      'previewAlertRule',
      'sendCoreInstanceBatch',
    ];
    expect(operation['x-repeatable']).toBe(
      !operationName.startsWith('post ') || repeatablePosts.includes(operation.operationId),
    );
  });

  it('has one success answer', () => {
    const successes = Object.keys(operation.responses).filter((status) => status.startsWith('2'));
    expect(successes).toHaveLength(1);
    for (const status of successes) {
      expect(operation.responses[status]?.content === undefined).toBe(status === '204');
    }
  });

  it('describes every refusal as a problem, with the status of its code', () => {
    for (const [status, response] of Object.entries(operation.responses)) {
      if (status.startsWith('2')) continue;
      expect(response.content).toEqual({
        'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
      });
      const ofStatus = response['x-problem-codes'] ?? [];
      expect(ofStatus.length).toBeGreaterThan(0);
      expect(ofStatus.filter((code) => problems[code].status !== Number(status))).toEqual([]);
      expect(ofStatus.filter((code) => !response.description.includes(`\`${code}\``))).toEqual([]);
    }
  });

  /** Operations whose body or query names something that may not exist. */
  const findsByInput = [
    'get /v1/search',
    'get /v1/audit_log/export',
    'get /v1/sessions',
    'post /v1/invitations/accept',
    'post /v1/invitations/sign_up',
    'post /v1/access_tokens',
    'post /v1/provisioning',
    'get /v1/core_instances/self/fleet_contents/{content}',
  ];

  it('lists the refusals that follow from its input', () => {
    const takesCredentials = operation.security.length > 0;
    // /metrics, if MUSTER_METRICS_TOKEN is set.
    const mayNeedCredential = takesCredentials || operation.operationId === 'getMetrics';
    const takesJson = operation.requestBody?.content['application/json'] !== undefined;
    const needsJson = takesJson && operation.requestBody?.required === true;
    const paged = operation.responses[200]?.headers?.Link !== undefined;
    const takesID = parameters.some(({ schema, in: where }) => where === 'path' && schema.format === 'uuid');
    const needsPermission = operation.description?.includes('Needs `') ?? false;

    expect({
      missing_credential: codes.includes('missing_credential'),
      invalid_credential: codes.includes('invalid_credential'),
      credential_kind_not_accepted: codes.includes('credential_kind_not_accepted'),
      permission_denied: codes.includes('permission_denied'),
      invalid_path_parameter: codes.includes('invalid_path_parameter'),
      not_found: codes.includes('not_found'),
      invalid_cursor: codes.includes('invalid_cursor'),
      invalid_json: codes.includes('invalid_json'),
      invalid_body: codes.includes('invalid_body'),
      body_too_large: codes.includes('body_too_large'),
      unknown_query_parameter: codes.includes('unknown_query_parameter'),
      credential_in_query: codes.includes('credential_in_query'),
      internal_error: codes.includes('internal_error'),
    }).toEqual({
      missing_credential: mayNeedCredential,
      invalid_credential: mayNeedCredential,
      credential_kind_not_accepted: takesCredentials,
      // Narrowed access tokens accept no invitation.
      permission_denied: needsPermission || path === '/v1/invitations/accept',
      invalid_path_parameter: path.includes('{'),
      not_found: takesID || findsByInput.includes(operationName),
      invalid_cursor: paged || operation.operationId === 'listSiteCredentials',
      invalid_json: needsJson,
      invalid_body: takesJson,
      // Also for operations without a body: the limit applies to any body that is sent.
      body_too_large: !operationName.startsWith('get '),
      unknown_query_parameter: true,
      credential_in_query: true,
      internal_error: true,
    });
  });

  it('names the headers of its answers', () => {
    for (const [status, { headers = {} }] of Object.entries(operation.responses)) {
      expect(Object.keys(headers)).toContain('X-Request-Id');
      expect(Object.hasOwn(headers, 'WWW-Authenticate')).toBe(status === '401');
      expect(Object.hasOwn(headers, 'Retry-After')).toBe(status === '429' || status === '503');
    }
  });
});

describe('the four operations of the interface', () => {
  it('GET /v1/projects/{projectID}/tokens', () => {
    const operation = operationAt('/v1/projects/{projectID}/tokens', 'get');
    expect(shapeOf(operation)).toEqual({
      security: ['accessToken', 'projectToken'],
      parameters: {
        projectID: 'path uuid',
        last: 'query integer',
        name: 'query string',
        before: 'query string',
        sort: 'query string',
        status: 'query string',
      },
      body: undefined,
      success: { 200: { type: 'array', items: reference('Token') } },
    });
  });

  it('POST /v1/projects/{projectID}/tokens', () => {
    const operation = operationAt('/v1/projects/{projectID}/tokens', 'post');
    expect(shapeOf(operation)).toEqual({
      security: ['accessToken', 'projectToken'],
      parameters: { projectID: 'path uuid' },
      body: reference('CreateToken'),
      success: { 201: reference('Token') },
    });
    expect(fieldsOf('CreateToken')).toEqual({
      required: ['name'],
      name: 'string',
      permissions: 'array|null of string',
      expiresAt: 'string|null date-time',
      allowedNetworks: 'array of string or null',
      reportsPerSecond: 'integer|null',
    });
  });

  it('GET /v1/agents/{agentID}/errors', () => {
    const operation = operationAt('/v1/agents/{agentID}/errors', 'get');
    expect(shapeOf(operation)).toEqual({
      security: ['accessToken', 'projectToken'],
      parameters: {
        agentID: 'path uuid',
        dismissed: 'query boolean',
        current: 'query boolean',
        last: 'query integer',
        before: 'query string',
      },
      body: undefined,
      success: { 200: { type: 'array', items: reference('AgentError') } },
    });
  });

  it('POST /v1/agents/{agentID}/errors', () => {
    const operation = operationAt('/v1/agents/{agentID}/errors', 'post');
    expect(shapeOf(operation)).toEqual({
      security: ['projectToken', 'agentToken', 'tokenAsPassword'],
      parameters: {
        agentID: 'path uuid',
        truncate: 'query boolean',
        partial: 'query boolean',
        text_field: 'query string',
      },
      body: {
        anyOf: [
          reference('CreateAgentError'),
          { type: 'array', items: reference('CreateAgentError'), minItems: 1, maxItems: 1000 },
        ],
      },
      success: {
        201: {
          anyOf: [
            reference('AgentErrorResult'),
            { type: 'array', items: { anyOf: [reference('AgentErrorResult'), reference('Problem')] } },
          ],
        },
      },
    });
    expect(fieldsOf('CreateAgentError')).toEqual({ required: ['error'], error: 'string' });
    expect(schemas.CreateAgentError?.properties?.error).toMatchObject({ minLength: 1, maxLength: 1024 });
    expect(fieldsOf('AgentErrorResult')).toEqual({
      required: ['id', 'createdAt'],
      id: 'string uuid',
      createdAt: 'string date-time',
    });
  });

  it('a token has the fields of the interface, and more', () => {
    expect(fieldsOf('Token')).toEqual({
      required: Object.keys(schemas.Token?.properties ?? {}),
      id: 'string uuid',
      token: 'string',
      name: 'string',
      permissions: 'array of string',
      createdAt: 'string date-time',
      expiresAt: 'string|null date-time',
      lastUsedAt: 'string|null date-time',
      status: 'string',
      allowedNetworks: 'array of string or null',
      reportsPerSecond: 'integer|null',
      rotatedAt: 'string|null date-time',
      earlierValues: 'array of EarlierValue',
      createdBy: 'Actor',
      parentID: 'string|null uuid',
      revokedAt: 'string|null date-time',
      revokedBy: 'Actor or null',
      revokeReason: 'string|null',
      leakedAt: 'string|null date-time',
      leakSource: 'string|null',
      agentsCount: 'integer',
    });
  });

  it('an agent error has the fields of the interface, and more', () => {
    expect(fieldsOf('AgentError')).toEqual({
      required: Object.keys(schemas.AgentError?.properties ?? {}),
      id: 'string uuid',
      agentID: 'string uuid',
      error: 'string',
      dismissedAt: 'string|null date-time',
      dismissReason: 'string|null',
      createdAt: 'string date-time',
      dismissedBy: 'Actor or null',
      occurrences: 'integer',
      lastSeenAt: 'string date-time',
      configID: 'string|null uuid',
      current: 'boolean',
      groupID: 'string|null uuid',
    });
  });

  it('pages have 100 items by default, and at most 1000', () => {
    const last = operationAt('/v1/agents/{agentID}/errors', 'get').parameters?.find(
      ({ name }) => name === 'last',
    );
    expect(last?.schema).toEqual({ type: 'integer', minimum: 0, maximum: 1000 });
    expect(last?.description).toContain('100');
  });
});

function operationAt(path: string, method: 'get' | 'post'): OpenApiOperation {
  const operation = document.paths[path]?.[method];
  if (operation === undefined) throw new Error(`the document has no ${method} ${path}`);
  return operation;
}

function shapeOf({ security, parameters = [], requestBody, responses }: OpenApiOperation) {
  return {
    security: security.flatMap((alternative) => Object.keys(alternative)),
    parameters: Object.fromEntries(
      parameters.map(({ name, in: where, schema }) => [
        name,
        `${where} ${schema.format ?? String(schema.type)}`,
      ]),
    ),
    body: requestBody?.content['application/json']?.schema,
    success: Object.fromEntries(
      Object.entries(responses)
        .filter(([status]) => status.startsWith('2'))
        .map(([status, { content }]) => [status, content?.['application/json']?.schema]),
    ),
  };
}

function fieldsOf(name: string): Record<string, unknown> {
  const { properties = {}, required } = schemas[name] ?? {};
  return {
    required,
    ...Object.fromEntries(Object.entries(properties).map(([field, schema]) => [field, typeOf(schema)])),
  };
}

function typeOf({ $ref, type, format, items, anyOf }: OpenApiSchema): string {
  if ($ref !== undefined) return $ref.replace('#/components/schemas/', '');
  if (anyOf !== undefined) return anyOf.map(typeOf).join(' or ');
  const types = [type ?? []].flat().join('|');
  return [types, format, items === undefined ? undefined : `of ${typeOf(items)}`].filter(Boolean).join(' ');
}

function reference(name: string) {
  return { $ref: `#/components/schemas/${name}` };
}

function referencesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    key === '$ref' && typeof item === 'string' ? [item] : referencesIn(item),
  );
}

function schemasWithExamples(value: unknown): { readonly examples: readonly unknown[] }[] {
  if (typeof value !== 'object' || value === null) return [];
  const nested = Object.values(value).flatMap(schemasWithExamples);
  if (!('examples' in value) || !Array.isArray(value.examples)) return nested;
  return [{ ...value, examples: value.examples }, ...nested];
}
