import { type Route, routes } from '@muster/contract';
import { Refusal } from '@muster/http/refusal';
import { compileParamsParser } from '@muster/http/requests/parse-params';
import { compileQueryParser, refuseUndecodableQuery } from '@muster/http/requests/parse-query';

/** The routes that agents call. */
const operations = [
  'createAgentError',
  'createMachineError',
  'registerAgent',
  'updateAgent',
  'addAgentMetrics',
  'sendAgentHeartbeat',
  'sendMachineHeartbeat',
  'getFleetConfig',
  'listFleetFiles',
  'search',
] as const;

export type SiteOperation = (typeof operations)[number];

export interface SiteRoute {
  readonly operation: SiteOperation;
  readonly route: Route;
  readonly segments: readonly string[];
  readonly parseParams: ReturnType<typeof compileParamsParser>;
  readonly parseQuery: ReturnType<typeof compileQueryParser>;
}

export interface RouteMatch {
  readonly route: SiteRoute;
  /** Decoded, and not checked. */
  readonly params: Readonly<Record<string, string>>;
}

const siteRoutes: readonly SiteRoute[] = operations.map((operation) => {
  const route: Route = routes[operation];
  return {
    operation,
    route,
    segments: route.path.split('/'),
    parseParams: compileParamsParser(route.params),
    parseQuery: compileQueryParser(route.query),
  };
});

/** The route of a request, and the parameters in its path; undefined if it is none that agents call. @throws Refusal bad_request */
export function matchRoute(method: string, url: string): RouteMatch | undefined {
  const segments = pathOf(url).split('/');
  for (const route of siteRoutes) {
    if (route.route.method !== method || route.segments.length !== segments.length) continue;
    const params = matchSegments(route.segments, segments);
    if (params !== undefined) return { route, params };
  }
  return undefined;
}

export function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? '';
}

/** The parameters of a query by their name; the ones of a name that is given more than once in a list. @throws Refusal bad_request */
export function splitQuery(url: string): Record<string, string | string[]> {
  const start = url.indexOf('?');
  if (start < 0) return {};
  refuseUndecodableQuery(url);
  const query: Record<string, string | string[]> = {};
  for (const [name, value] of new URLSearchParams(url.slice(start + 1))) {
    const before = Object.hasOwn(query, name) ? query[name] : undefined;
    query[name] = before === undefined ? value : [before, value].flat();
  }
  return query;
}

function matchSegments(
  wanted: readonly string[],
  given: readonly string[],
): Record<string, string> | undefined {
  const params: Record<string, string> = {};
  for (const [index, segment] of wanted.entries()) {
    const text = given[index] ?? '';
    if (segment.startsWith('{')) params[segment.slice(1, -1)] = decode(text);
    else if (segment !== text) return undefined;
  }
  return params;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Refusal('bad_request', {
      detail:
        'The path is not valid: each % must be followed by two hex digits, and the decoded bytes must be UTF-8.',
    });
  }
}
