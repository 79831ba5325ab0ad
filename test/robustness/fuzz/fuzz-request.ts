import { allRoutes, type CredentialKind, type OpenApiDocument, type Route } from '@muster/contract';
import { requestText } from '../request-text.ts';
import { type JsonSchema, makeValue, type Resolve } from './json-schema.ts';
import { evilText, mutateBytes, mutateJson, mutateValue } from './mutations.ts';
import { Random } from './random.ts';

/** Existing resources, so that requests pass the first checks. */
export interface FuzzTargets {
  readonly credentials: Readonly<
    Record<CredentialKind, { readonly valid: readonly string[]; readonly invalid: readonly string[] }>
  >;
  /** By the name of the path parameter. */
  readonly ids: Readonly<Record<string, readonly string[]>>;
  /** The same, for resources that may be deleted without deleting most others. */
  readonly disposableIDs: Readonly<Record<string, readonly string[]>>;
  /** The same, of nothing. */
  readonly unknownIDs: Readonly<Record<string, readonly string[]>>;
  readonly cursors: readonly string[];
  readonly metrics: readonly Buffer[];
}

export interface FuzzRequest {
  readonly bytes: Buffer;
  /** The requested operation; undefined after its bytes were corrupted, because the request can then mean anything. */
  readonly asked: { readonly method: string; readonly path: string } | undefined;
}

/** Creates the n-th request of a seed: a route of the document, with a valid or an invalid request. */
export function makeFuzzRequest(
  seed: number,
  index: number,
  document: OpenApiDocument,
  targets: FuzzTargets,
  routes: readonly Route[] = allRoutes,
): FuzzRequest {
  const random = new Random((seed ^ Math.imul(index + 1, 0x9e3779b1)) >>> 0);
  const route = random.pickAny(routes);
  if (route === undefined) throw new Error('there is no route to ask for');
  const resolve: Resolve = (schema) => resolveIn(document, schema);
  const path = makePath(random, route, targets);
  const query = makeQuery(random, route, targets, resolve);
  const bytes = requestText({
    method: route.method,
    target: `${path}${query}`,
    headers: makeHeaders(random, route, targets),
    ...makeBody(random, route, targets, resolve),
  });
  return !isStream(route) && random.chance(0.2)
    ? { bytes: mutateBytes(random, bytes), asked: undefined }
    : { bytes, asked: { method: route.method, path } };
}

/** Its answer ends only if the query says so, which broken bytes might not say any more. */
function isStream(route: Route): boolean {
  return route.answer.mediaType === 'text/event-stream';
}

function resolveIn(document: OpenApiDocument, schema: JsonSchema): JsonSchema {
  const name = /^#\/components\/schemas\/(\w+)$/.exec(schema.$ref ?? '')?.[1];
  if (name === undefined) return schema;
  return (document.components.schemas[name] ?? {}) as JsonSchema; // the document holds JSON Schema there
}

/** A project that it freezes would answer everything else with 503. */
const freezing = '/v1/projects/{projectID}/departure';

function makePath(random: Random, route: Route, { ids, disposableIDs, unknownIDs }: FuzzTargets): string {
  const isEnding = route.method === 'DELETE' && random.chance(0.95);
  const known = route.path === freezing ? unknownIDs : isEnding ? disposableIDs : ids;
  return route.path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => {
    if (random.chance(0.1)) return encodeText(evilText(random).slice(0, 2_000)) || '%20';
    const id = random.pickAny(random.chance(0.05) ? Object.values(known).flat() : (known[name] ?? []));
    return random.chance(0.1) ? (id ?? 'none').toUpperCase() : (id ?? 'none');
  });
}

function makeQuery(random: Random, route: Route, { cursors }: FuzzTargets, resolve: Resolve): string {
  const parameters = Object.entries(route.query?.properties ?? {}).filter(
    ([name]) => random.chance(0.25) && !(isStream(route) && name === 'follow'),
  );
  const pairs = parameters.map(([name, schema]) => {
    const value = random.chance(0.25)
      ? evilText(random)
      : name === 'before'
        ? random.pickAny(cursors)
        : makeValue(random, schema as JsonSchema, resolve); // what the contract holds there
    return `${name}=${encodeText(String(value).slice(0, 3_000))}`;
  });
  if (isStream(route)) pairs.push('follow=false');
  if (random.chance(0.05)) pairs.push(`${encodeText(evilText(random).slice(0, 100))}=1`);
  if (random.chance(0.03)) pairs.push(...pairs);
  if (random.chance(0.03))
    pairs.push(random.pick(['%', '%zz=1', '&&', '=', 'last', 'last=', 'a[b]=c', 'x=%ff']));
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/** Includes texts that are invalid in URLs, because clients send those too. */
function encodeText(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

function makeHeaders(random: Random, route: Route, targets: FuzzTargets): string[] {
  const headers = makeCredential(random, route, targets);
  if (route.body !== undefined && random.chance(0.97)) headers.push(`Content-Type: ${route.body.mediaType}`);
  else if (random.chance(0.1))
    headers.push(`Content-Type: ${random.pick(['text/plain', ';', 'a/b;', '*/*'])}`);
  if (random.chance(0.02)) headers.push('X-Agent-Token: ', `X-Project-Token: ${random.below(9)}`);
  if (random.chance(0.02)) headers.push(`X-Request-Id: ${'y'.repeat(random.below(100))}`);
  if (random.chance(0.05)) headers.push(random.pick(unusualHeaders));
  return headers;
}

const unusualHeaders = [
  'Expect: 100-continue',
  'Upgrade: h2c',
  'Content-Encoding: br',
  'Accept: text/html',
  'Range: bytes=0-1',
  'If-None-Match: *',
  'Prefer: return=minimal',
  'X-Forwarded-For: a, b',
  'Cookie: a=b',
] as const;

/** Nine of ten are valid. */
function makeCredential(random: Random, route: Route, { credentials }: FuzzTargets): string[] {
  const kinds = random.chance(0.97)
    ? route.credentials
    : (['access', 'project', 'agent', 'core_instance'] as const);
  const kind = random.pickAny(kinds);
  if (kind === undefined || random.chance(0.02)) return [];
  const { valid, invalid } = credentials[kind];
  const value = random.pickAny(random.chance(0.9) ? valid : invalid);
  return value === undefined ? [] : [credentialHeader(random, kind, value)];
}

function credentialHeader(random: Random, kind: CredentialKind, value: string): string {
  if (kind === 'access' || (kind === 'project' && random.chance(0.2)))
    return `Authorization: Bearer ${value}`;
  if (kind === 'core_instance') return `X-Core-Instance-Token: ${value}`;
  return `X-${kind === 'agent' ? 'Agent' : 'Project'}-Token: ${value}`;
}

type Body = Pick<Parameters<typeof requestText>[0], 'body' | 'length'>;

function makeBody(random: Random, route: Route, targets: FuzzTargets, resolve: Resolve): Body {
  const body = makeContent(random, route, targets, resolve);
  if (body === undefined || random.chance(0.95)) return body === undefined ? {} : { body };
  const size = Buffer.byteLength(body).toString(16);
  const chunks =
    size === '0' ? '' : Buffer.concat([Buffer.from(`${size}\r\n`), Buffer.from(body), Buffer.from('\r\n')]);
  return {
    length: 'Transfer-Encoding: chunked',
    body: Buffer.concat([Buffer.from(chunks), Buffer.from('0\r\n\r\n')]),
  };
}

function makeContent(
  random: Random,
  route: Route,
  { metrics }: FuzzTargets,
  resolve: Resolve,
): Buffer | string | undefined {
  if (route.body === undefined) return random.chance(0.1) ? random.bytes(random.below(50)) : undefined;
  if (route.body.format === 'bytes') {
    const sample = random.pickAny(metrics) ?? Buffer.alloc(0);
    return random.chance(0.7) ? mutateBytes(random, sample) : sample;
  }
  return makeJson(random, route.body.schema as JsonSchema, resolve); // what the contract holds there
}

function makeJson(random: Random, schema: JsonSchema, resolve: Resolve): string {
  let value = makeValue(random, schema, resolve);
  if (random.chance(0.4)) value = mutateValue(random, value);
  const text = JSON.stringify(value) ?? '';
  return random.chance(0.15) ? mutateJson(random, text) : text;
}
