import { idempotencyKeyPattern } from './idempotency-key.ts';
import type {
  OpenApiDocument,
  OpenApiOperation,
  OpenApiParameter,
  OpenApiPath,
  OpenApiResponse,
} from './openapi-document.ts';
import { introduction } from './openapi-introduction.ts';
import { componentSchemas, toOpenApiSchema } from './openapi-schemas.ts';
import { type ProblemCode, problems } from './problems.ts';
import { type Method, type Route, takesSession } from './route.ts';
import { allRoutes } from './routes/index.ts';
import { Problem } from './schemas/problem.ts';
import type { CredentialKind } from './token-format.ts';

const schemeNames: Readonly<Record<CredentialKind, string>> = {
  access: 'accessToken',
  project: 'projectToken',
  agent: 'agentToken',
  core_instance: 'coreInstanceToken',
};

const basicSchemeName = 'tokenAsPassword';

const tags = [
  { name: 'Tokens', description: 'Credentials with which other applications access a project.' },
  {
    name: 'Agent errors',
    description: 'Errors that agents report about themselves; repeats are counted, not stored again.',
  },
  { name: 'Dismissals', description: 'Dismissals of many agent errors at once, and their undo.' },
  {
    name: 'Agent error groups',
    description: 'Errors with the same cause, counted across agents, with an explanation of known ones.',
  },
  { name: 'Agents', description: 'The fleet: registration, configurations, signs of life.' },
  { name: 'Fleets', description: 'Configurations that agents get from the service, and their versions.' },
  { name: 'Core instances', description: 'Musters at sites, which pass on what agents send.' },
  { name: 'Events', description: 'What happens in a project, as it happens.' },
  { name: 'Alerts', description: 'Messages to people: where they are sent, and what became of them.' },
  { name: 'Audit log', description: 'Who changed what, in a form that shows later changes.' },
  { name: 'Projects', description: 'A project contains tokens, agents and their errors.' },
  { name: 'People', description: 'Members of projects with their roles, invitations, and users.' },
  { name: 'Access', description: 'The caller and their own access tokens.' },
  { name: 'Service', description: 'Health, metrics and this document. Public.' },
];

/** Builds the OpenAPI 3.1 document from the routes. Pure: the same version gives the same document. */
export function buildOpenApiDocument(version: string): OpenApiDocument {
  const paths: Record<string, OpenApiPath> = {};
  for (const route of allRoutes) {
    const method = route.method.toLowerCase() as Lowercase<Method>; // Method is upper case throughout
    paths[route.path] = { ...paths[route.path], [method]: operation(route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Muster',
      version,
      summary: 'A control plane for fleets of telemetry agents: project tokens and agent errors.',
      description: introduction,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags,
    paths,
    components: {
      schemas: componentSchemas(),
      securitySchemes: {
        accessToken: {
          type: 'http',
          scheme: 'bearer',
          description:
            "A person's or script's access token (`mst_u_…`), or a token of the identity provider.",
        },
        projectToken: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Project-Token',
          description: 'A project token; also accepted as `Authorization: Bearer`.',
        },
        agentToken: { type: 'apiKey', in: 'header', name: 'X-Agent-Token', description: 'An agent token.' },
        coreInstanceToken: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Core-Instance-Token',
          description:
            'The token of a core instance; also accepted as `X-Aggregator-Token` and as `Authorization: Bearer`.',
        },
        [basicSchemeName]: {
          type: 'http',
          scheme: 'basic',
          description:
            'A project token or an agent token as the password, with any user name. For agents that cannot send headers of their own.',
        },
      },
    },
  };
}

/** Every refusal that a route can answer. */
export function problemsOf(route: Route): ProblemCode[] {
  const codes: ProblemCode[] = ['bad_request', 'unknown_query_parameter', 'credential_in_query'];
  if (route.params !== undefined) codes.push('invalid_path_parameter');
  if (route.query !== undefined) codes.push('invalid_query_parameter');
  if (route.answer.paged) codes.push('invalid_cursor');
  if (route.method !== 'GET') codes.push('body_too_large');
  if (route.body?.format === 'json') {
    if (!route.body.isLenient) codes.push('invalid_json', 'unsupported_media_type');
    codes.push('invalid_body');
  }
  if (route.credentials.length > 0) {
    codes.push('missing_credential', 'invalid_credential', 'masked_credential');
    codes.push(
      'expired_credential',
      'revoked_credential',
      'rotated_credential',
      'credential_kind_not_accepted',
    );
    codes.push('too_many_invalid_credentials');
    codes.push('database_unavailable');
  }
  if (route.credentials.length > 0 && route.scope !== 'installation')
    codes.push('project_moving', 'project_moved');
  if (route.credentials.includes('access')) codes.push('identity_provider_unavailable');
  if (takesSession(route.credentials) && route.method !== 'GET') codes.push('cross_origin_request');
  if (route.credentials.includes('project')) codes.push('network_not_allowed');
  if (route.permission !== undefined) codes.push('permission_denied');
  if (route.takesIdempotencyKey) codes.push('invalid_idempotency_key', 'idempotency_key_used');
  codes.push(...(route.problems ?? []));
  codes.push('request_timeout', 'headers_too_large', 'internal_error', 'overloaded', 'shutting_down');
  return [...new Set(codes)];
}

function operation(route: Route): OpenApiOperation {
  const parameters = [
    ...parametersOf(route, 'path'),
    ...parametersOf(route, 'query'),
    ...(route.takesIdempotencyKey ? [idempotencyKeyParameter] : []),
  ];
  return {
    operationId: route.operationID,
    tags: [route.tag],
    summary: route.summary,
    ...(descriptionOf(route) === '' ? {} : { description: descriptionOf(route) }),
    security: securityOf(route),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.body === undefined
      ? {}
      : {
          requestBody: {
            required: route.body.isLenient !== true,
            content: Object.fromEntries(
              Object.entries({ [route.body.mediaType]: route.body.schema, ...route.body.otherForms }).map(
                ([mediaType, schema]) => [mediaType, { schema: toOpenApiSchema(schema) }],
              ),
            ),
          },
        }),
    responses: { [route.answer.status]: success(route), ...refusals(route) },
    'x-repeatable':
      route.method !== 'POST' || route.repeatable === true || route.takesIdempotencyKey === true,
    ...(route.takesIdempotencyKey ? { 'x-takes-idempotency-key': true } : {}),
  };
}

const idempotencyKeyParameter: OpenApiParameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A random text of your own for this one request, such as a UUID. If the answer is lost, the same request with the same key and the same credential gives the same answer again.',
  schema: { type: 'string', pattern: idempotencyKeyPattern.source },
};

/** With a proof and without: each is an alternative. */
function securityOf({ credentials, proof, takesBasic }: Route): OpenApiOperation['security'] {
  const names = credentials.map((kind) => schemeNames[kind]);
  const alone = [...names, ...(takesBasic ? [basicSchemeName] : [])].map((name) => ({ [name]: [] }));
  if (proof === undefined) return alone;
  return [...alone, ...alone.map((scheme) => ({ ...scheme, [schemeNames[proof]]: [] }))];
}

function descriptionOf(route: Route): string {
  const needs = [route.permission, route.furtherPermission].filter((one) => one !== undefined);
  const permission = needs.length === 0 ? undefined : `Needs \`${needs.join('` and `')}\`.`;
  return [route.description, permission].filter((part) => part !== undefined).join(' ');
}

function parametersOf(route: Route, place: 'path' | 'query'): OpenApiParameter[] {
  const schema = place === 'path' ? route.params : route.query;
  if (schema === undefined) return [];
  const required = new Set<string>(schema.required ?? []);
  return Object.entries(schema.properties).map(([name, property]) => {
    const { description, ...rest } = toOpenApiSchema(property);
    return {
      name,
      in: place,
      required: required.has(name),
      ...(description === undefined ? {} : { description }),
      schema: rest,
    };
  });
}

function success(route: Route): OpenApiResponse {
  const { answer } = route;
  const headers: Record<string, string> = { ...answer.headers };
  if (answer.paged) headers.Link = 'RFC 8288, rel="next": the next page. Absent on the last page.';
  return {
    description: answer.description,
    headers: headersOf(headers),
    ...(answer.schema === undefined
      ? {}
      : {
          content: { [answer.mediaType ?? 'application/json']: { schema: toOpenApiSchema(answer.schema) } },
        }),
  };
}

function refusals(route: Route): Record<string, OpenApiResponse> {
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of problemsOf(route)) {
    const { status } = problems[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus]
      .sort(([one], [other]) => one - other)
      .map(([status, codes]) => [
        String(status),
        {
          description: codes.map((code) => `\`${code}\`: ${problems[code].help}`).join('\n\n'),
          headers: headersOf(refusalHeaders(status)),
          content: { 'application/problem+json': { schema: toOpenApiSchema(Problem) } },
          'x-problem-codes': codes,
        },
      ]),
  );
}

function refusalHeaders(status: number): Record<string, string> {
  if (status === 401) return { 'WWW-Authenticate': 'The kinds of credential that the route accepts.' };
  if (status === 429 || status === 503) return { 'Retry-After': 'Seconds to wait before the next try.' };
  return {};
}

function headersOf(headers: Readonly<Record<string, string>>) {
  const all = { 'X-Request-Id': 'Also in the log line of this request.', ...headers };
  return Object.fromEntries(
    Object.entries(all).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
  );
}
