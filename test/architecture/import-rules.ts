import type { Import } from './read-imports.ts';

/**
 * Allowed exceptions to the rules.
 *
 * `credential-freshness.ts`: the number that all kinds of credential share belongs to no feature.
 * `demo.ts`: the simulated fleet is a folder of tools, and no package that others could import.
 * `setting-types.ts`: the form of a database URL is checked before there is a database.
 */
const exceptions: ReadonlySet<string> = new Set([
  'cli/src/commands/demo.ts demo/src/run-demo.ts',
  'server/src/foundation/credentials/credential-freshness.ts kysely',
  'server/src/foundation/credentials/credential-freshness.ts server/src/foundation/database/database.ts',
  'server/src/foundation/credentials/credential-freshness.ts server/src/foundation/database/tables.ts',
  'server/src/foundation/settings/setting-types.ts server/src/foundation/database/postgres/database-url.ts',
]);

/** The wings of the service, the lowest first: each may import those before it. */
export const wings = [
  ['foundation'],
  ['record'],
  ['fleet'],
  ['people'],
  ['errors', 'pages'],
  ['core-instances'],
  ['upkeep'],
  ['app'],
  ['testing'],
];

/** The place of a file in the service. */
type Place =
  | { readonly kind: 'app' | 'ground' | 'loose' | Room | 'testing' }
  | { readonly kind: 'feature'; readonly feature: string; readonly role: Role };

/** Folders that belong to no feature. */
type Room = (typeof rooms)[number];

/**
 * `routes`: also what answers requests of a route ahead of the framework (`-shortcut`). `rules`: the file named for
 * the one thing that the feature keeps. `part`: whatever has no role in its name.
 */
type Role = 'routes' | 'service' | 'store' | 'rules' | 'part';

/** Of the server, by the command-line client. */
const loadedLater = ['@muster/server', '@muster/server/provision-file', '@muster/server/read-bounded-text'];

interface ImportRule {
  /** Completes the sentence "x imports y, but …". */
  readonly text: string;
  readonly isBroken: (one: Import) => boolean;
}

/** Folders of foundation/ on which every feature builds, as on the files directly in it. */
const groundFolders = new Set(['settings', 'scheduling']);

const rooms = ['http', 'database', 'credentials', 'packed', 'reference-page'] as const;

/** Wings that are one feature, and their rooms that are features of their own. */
const wholeWings: Readonly<Record<string, readonly string[]>> = {
  errors: ['alerts'],
  pages: [],
  'core-instances': [],
};

const rules: readonly ImportRule[] = [
  {
    text: 'the contract runs anywhere: it imports no module of Node and no other workspace',
    isBroken: ({ from, to }) =>
      workspaceOf(from) === 'contract' &&
      (to.startsWith('node:') || !['contract', undefined].includes(workspaceOf(to))),
  },
  {
    text: 'redaction reads texts and nothing else: it imports no module of Node and no other workspace or package',
    isBroken: ({ from, to }) => workspaceOf(from) === 'redaction' && !to.startsWith('redaction/src/'),
  },
  {
    text: 'faults reads texts and nothing else: it imports no module of Node, no other workspace and one package',
    isBroken: ({ from, to }) =>
      workspaceOf(from) === 'faults' && !to.startsWith('faults/src/') && to !== 'fastest-levenshtein',
  },
  {
    text: 'fleet-config reads texts and nothing else: it imports no module of Node, the contract alone of the workspaces, and one package',
    isBroken: ({ from, to }) =>
      workspaceOf(from) === 'fleet-config' &&
      !to.startsWith('fleet-config/src/') &&
      !['@muster/contract', 'js-yaml'].includes(to),
  },
  {
    text: 'the server depends on the contract, redaction, faults, fleet-config and http and on no other workspace',
    isBroken: ({ from, to }) =>
      workspaceOf(from) === 'server' &&
      !isWorkspace(to, ['server', 'contract', 'redaction', 'faults', 'fleet-config', 'http']),
  },
  {
    text: 'http knows connections, requests and answers: it depends on the contract and redaction and on no other workspace',
    isBroken: ({ from, to }) =>
      workspaceOf(from) === 'http' && !isWorkspace(to, ['http', 'contract', 'redaction']),
  },
  {
    text: 'what runs at a site loads neither the service nor a database: it depends on the contract, redaction, faults and http alone',
    isBroken: ({ from, to }) =>
      workspaceOf(from) === 'core-instance' &&
      !isWorkspace(to, ['core-instance', 'contract', 'redaction', 'faults', 'http']),
  },
  {
    text: 'the client goes into other programs: it depends on the contract and on no other workspace',
    isBroken: ({ from, to }) => workspaceOf(from) === 'client' && !isWorkspace(to, ['client', 'contract']),
  },
  {
    text: 'what runs agents and reports their errors reaches the service through the client alone',
    isBroken: ({ from, to }) =>
      workspaceOf(from) === 'report' &&
      (!isWorkspace(to, ['report', 'client', 'contract', 'redaction', 'faults']) ||
        to === '@muster/faults/explain'),
  },
  {
    text: 'the command-line client loads what runs agents only when it runs one (import())',
    isBroken: ({ from, to, kind, isTypeOnly }) =>
      workspaceOf(from) === 'cli' && workspaceOf(to) === 'report' && kind === 'static' && !isTypeOnly,
  },
  {
    text: 'the command-line client loads what runs at a site only when it runs it (import())',
    isBroken: ({ from, to, kind, isTypeOnly }) =>
      workspaceOf(from) === 'cli' && workspaceOf(to) === 'core-instance' && kind === 'static' && !isTypeOnly,
  },
  {
    text: 'the command-line client loads the known faults only when it explains one (import())',
    isBroken: ({ from, to, kind, isTypeOnly }) =>
      workspaceOf(from) === 'cli' && workspaceOf(to) === 'faults' && kind === 'static' && !isTypeOnly,
  },
  {
    text: 'the command-line client loads what checks configurations only when it checks one (import())',
    isBroken: ({ from, to, kind, isTypeOnly }) =>
      workspaceOf(from) === 'cli' && workspaceOf(to) === 'fleet-config' && kind === 'static' && !isTypeOnly,
  },
  {
    text: 'the dashboard reaches the service through the client alone',
    isBroken: ({ from, to }) =>
      workspaceOf(from) === 'web' && !isWorkspace(to, ['web', 'client', 'contract']),
  },
  {
    text: 'a workspace is imported by the name of its package, not by a path into it',
    isBroken: ({ from, to }) =>
      /^[\w-]+\/src\//.test(to) && workspaceOf(from) !== undefined && workspaceOf(to) !== workspaceOf(from),
  },
  {
    text: 'the command-line client takes nothing of the server but its settings and start flags, and the rest only when it runs (import())',
    isBroken: ({ from, to, kind }) =>
      workspaceOf(from) === 'cli' &&
      workspaceOf(to) === 'server' &&
      to !== '@muster/server/config' &&
      to !== '@muster/server/config-error' &&
      to !== '@muster/server/start-flags' &&
      !(loadedLater.includes(to) && kind === 'dynamic'),
  },
  {
    text: 'only tests use what is there for tests',
    isBroken: ({ to }) => placeOf(to)?.kind === 'testing',
  },
  {
    text: 'a wing imports the wings below it alone, as listed in ARCHITECTURE.md',
    isBroken: ({ from, to }) => {
      const [importing, imported] = [wingOf(from), wingOf(to)];
      return (
        importing !== undefined &&
        imported !== undefined &&
        importing !== imported &&
        imported !== 'testing' &&
        floorOf(imported) >= floorOf(importing)
      );
    },
  },
  {
    text: 'what every feature builds on (the files directly in foundation/, settings/ and scheduling/) imports no other folder',
    isBroken: ({ from, to }) => placeOf(from)?.kind === 'ground' && isOneOf(to, rooms),
  },
  {
    text: 'credentials/ is what features and http/ build on: it imports no http and no database',
    isBroken: ({ from, to }) => placeOf(from)?.kind === 'credentials' && isOneOf(to, ['http', 'database']),
  },
  {
    text: 'packed/ knows bytes and nothing of what they mean: it imports nothing of the service',
    isBroken: ({ from, to }) => placeOf(from)?.kind === 'packed' && placeOf(to)?.kind !== 'packed',
  },
  {
    text: 'reference-page/ is written from the contract: it imports http/ and what every feature builds on, and app/ alone imports it',
    isBroken: ({ from, to }) =>
      (placeOf(from)?.kind === 'reference-page' && isOneOf(to, ['feature', 'database', 'credentials'])) ||
      (isOneOf(to, ['reference-page']) && !isOneOf(from, ['reference-page', 'app'])),
  },
  {
    text: 'http/ takes from database/ the type of a database and nothing else',
    isBroken: ({ from, to, isTypeOnly }) =>
      placeOf(from)?.kind === 'http' &&
      isOneOf(to, ['database']) &&
      !(isTypeOnly && to === 'server/src/foundation/database/database.ts'),
  },
  {
    text: 'database/ never imports http/ or credentials/',
    isBroken: ({ from, to }) => placeOf(from)?.kind === 'database' && isOneOf(to, ['http', 'credentials']),
  },
  {
    text: 'a rule file imports nothing but the contract',
    isBroken: ({ from, to }) => roleOf(from) === 'rules' && to !== '@muster/contract',
  },
  {
    text: "a feature calls another feature's service and nothing else of it",
    isBroken: ({ from, to }) => {
      const [importing, imported] = [placeOf(from), placeOf(to)];
      return (
        importing?.kind === 'feature' &&
        imported?.kind === 'feature' &&
        importing.feature !== imported.feature &&
        imported.role !== 'service'
      );
    },
  },
  {
    text: 'only routes know of HTTP',
    isBroken: ({ from, to }) =>
      placeOf(from)?.kind === 'feature' &&
      roleOf(from) !== 'routes' &&
      (isOneOf(to, ['http']) || to === 'fastify' || roleOf(to) === 'routes'),
  },
  {
    text: 'routes ask their service; of a store they know the types of its rows alone',
    isBroken: ({ from, to, isTypeOnly }) =>
      roleOf(from) === 'routes' && (isOneOf(to, ['database']) || (roleOf(to) === 'store' && !isTypeOnly)),
  },
  {
    text: 'a store asks the database and no service',
    isBroken: ({ from, to }) => roleOf(from) === 'store' && roleOf(to) === 'service',
  },
  {
    text: 'SQL is written in stores and in database/ alone (a type of kysely may go anywhere)',
    isBroken: ({ from, to, isTypeOnly }) =>
      to === 'kysely' && !isTypeOnly && roleOf(from) !== 'store' && placeOf(from)?.kind !== 'database',
  },
  {
    text: 'what only one engine has stays in database/ and in files named for the engine',
    isBroken: ({ from, to }) =>
      /^server\/src\/foundation\/database\/(sqlite|postgres)\//.test(to) &&
      placeOf(from)?.kind !== 'database' &&
      !/-(sqlite|postgres)\.ts$|\/sqlite-worker\.ts$/.test(from),
  },
];

/** One sentence for each import that breaks a rule. */
export function explainBrokenImports(imports: readonly Import[]): string[] {
  const judged = imports.filter(({ from, to }) => !exceptions.has(`${from} ${to}`));
  return judged.flatMap((one) =>
    rules
      .filter((rule) => rule.isBroken(one))
      .map(({ text }) => `${one.from} imports ${one.to}, but ${text}.`),
  );
}

/** Exceptions that no import needs any more. */
export function unusedExceptions(imports: readonly Import[]): string[] {
  const made = new Set(imports.map(({ from, to }) => `${from} ${to}`));
  return [...exceptions].filter((exception) => !made.has(exception));
}

/** A sentence for each file, except build-app.ts, that imports every feature. */
export function explainImportersOfEverything(imports: readonly Import[]): string[] {
  const features = new Set(
    imports.map(({ from }) => featureOf(from)).filter((feature) => feature !== undefined),
  );
  const importers = new Map<string, Set<string>>();
  for (const { from, to } of imports) {
    const feature = featureOf(to);
    if (feature !== undefined) importers.set(from, (importers.get(from) ?? new Set()).add(feature));
  }
  return [...importers]
    .filter(([file, imported]) => file !== 'server/src/app/build-app.ts' && imported.size >= features.size)
    .map(([file]) => `${file} imports every feature, but only build-app.ts puts everything together.`);
}

/** A sentence for each ring of files that import one another, types included. */
export function explainCycles(imports: readonly Import[]): string[] {
  const targets = new Map<string, string[]>();
  for (const { from, to } of imports) targets.set(from, [...(targets.get(from) ?? []), to]);
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    const start = path.indexOf(file);
    if (start >= 0) {
      cycles.push(`${[...path.slice(start), file].join(' imports ')}, but imports never run in a circle.`);
      return;
    }
    if (done.has(file)) return;
    for (const target of targets.get(file) ?? []) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of targets.keys()) visit(file, []);
  return cycles;
}

/** A sentence for each ring of features or rooms of the service whose files import one another, types included. */
export function explainFolderCycles(imports: readonly Import[]): string[] {
  const cycles = [folderOf, roomOf].flatMap((placed) =>
    explainCycles(
      imports.flatMap((one) => {
        const [from, to] = [placed(one.from), placed(one.to)];
        return from === undefined || to === undefined || from === to ? [] : [{ ...one, from, to }];
      }),
    ),
  );
  return [...new Set(cycles)];
}

/** `contract` for `contract/src/…` and for `@muster/contract`; undefined for other packages. */
function workspaceOf(path: string): string | undefined {
  return /^(?:@muster\/)?(contract|redaction|faults|fleet-config|http|server|client|report|core-instance|cli|web)(?:\/|$)/.exec(
    path,
  )?.[1];
}

function isWorkspace(path: string, allowed: readonly string[]): boolean {
  const workspace = workspaceOf(path);
  return workspace === undefined || allowed.includes(workspace);
}

function placeOf(path: string): Place | undefined {
  const [, wing, inside] = /^server\/src\/([^/]+)\/(.*)$/.exec(path) ?? [];
  if (wing === undefined || inside === undefined) return undefined;
  if (wing === 'app' || wing === 'testing') return { kind: wing };
  const [, folder, name = inside] = /^([^/]+)\/(.*)$/.exec(inside) ?? [];
  const room = rooms.find((one) => one === folder);
  if (room !== undefined) return { kind: room };
  if (wing === 'foundation' && (folder === undefined || groundFolders.has(folder))) return { kind: 'ground' };
  const whole = wholeWings[wing];
  if (whole !== undefined && (folder === undefined || !whole.includes(folder))) {
    return { kind: 'feature', feature: wing, role: readRole(wing, inside) };
  }
  return folder === undefined
    ? { kind: 'loose' }
    : { kind: 'feature', feature: folder, role: readRole(folder, name) };
}

/** `fleet` of `server/src/fleet/agents/agent.ts`; the name of the file if it is in no wing. */
function wingOf(path: string): string | undefined {
  return /^server\/src\/([^/]+)/.exec(path)?.[1];
}

function floorOf(wing: string): number {
  return wings.findIndex((floor) => floor.includes(wing));
}

function readRole(feature: string, name: string): Role {
  if (name === `${feature.replace(/s$/, '')}.ts`) return 'rules';
  const role = /-(routes|shortcut|service|store)(?:-\w+)?\.ts$/.exec(name)?.[1];
  if (role === 'shortcut') return 'routes';
  return role === 'routes' || role === 'service' || role === 'store' ? role : 'part';
}

/** The feature or room of a wing that holds a file, at whatever depth. */
function folderOf(path: string): string | undefined {
  const [, wing = '', folder] = /^server\/src\/([^/]+)\/(?:([^/]+)\/)?/.exec(path) ?? [];
  const whole = wholeWings[wing];
  if (whole !== undefined && !whole.includes(folder ?? '')) return `server/src/${wing}`;
  return folder === undefined ? undefined : `server/src/${wing}/${folder}`;
}

/** The same, but each room of a wing that is one feature by itself. The files beside the rooms put them together, so they are in none. */
function roomOf(path: string): string | undefined {
  return /^server\/src\/[^/]+\/[^/]+(?=\/)/.exec(path)?.[0];
}

function roleOf(path: string): Role | undefined {
  const place = placeOf(path);
  return place?.kind === 'feature' ? place.role : undefined;
}

function featureOf(path: string): string | undefined {
  const place = placeOf(path);
  return place?.kind === 'feature' ? place.feature : undefined;
}

function isOneOf(path: string, kinds: readonly Place['kind'][]): boolean {
  const place = placeOf(path);
  return place !== undefined && kinds.includes(place.kind);
}
