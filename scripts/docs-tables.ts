import {
  actions,
  allRoutes,
  type CredentialKind,
  type Grant,
  type Method,
  presets,
  problemCodes,
  problems,
  type Route,
  resources,
} from '@muster/contract';
import { type Setting, settings } from '@muster/server/config';
import { commandsTable, exitCodesTable } from './docs-commands.ts';
import { fluentBitBlocks } from './docs-fluent-bit.ts';
import { knownFaultsList } from './docs-known-faults.ts';

/** The generated parts of the documentation, as Markdown, by the name in their marker. */
export const docsTables: Readonly<Record<string, () => string>> = {
  settings: settingsTable,
  errors: errorsTable,
  permissions: permissionsTable,
  presets: presetsTable,
  routes: routesTables,
  commands: commandsTable,
  'exit-codes': exitCodesTable,
  'known-faults': knownFaultsList,
  ...fluentBitBlocks,
};

function settingsTable(): string {
  return table(
    ['Variable', 'Flag', 'Default', 'What it does'],
    Object.values<Setting>(settings).map(({ variable, flag, default: value, help, type }) => [
      code(variable),
      code(flag),
      value === undefined ? '–' : code(String(value)),
      `${help} Takes ${type.takes}.`,
    ]),
  );
}

function errorsTable(): string {
  return table(
    ['Status', 'Code', 'What to do'],
    problemCodes.map((name) => [String(problems[name].status), code(name), problems[name].help]),
  );
}

/** The routes that need each permission; permissions that no route needs yet are listed below the table. */
function permissionsTable(): string {
  const all = resources.flatMap((resource) => actions.map((action) => `${action}:${resource}` as const));
  const rows = all.map((permission) => [permission, routesThatNeed(permission)] as const);
  const used = rows.filter(([, routes]) => routes.length > 0);
  const unused = rows.filter(([, routes]) => routes.length === 0);
  const asked = table(
    ['Permission', 'Asked for by'],
    used.map(([permission, routes]) => [code(permission), routes.map(summaryOf).join('; ')]),
  );
  return [
    asked,
    `Valid too, but not needed by any route of this version: ${unused.map(([permission]) => code(permission)).join(', ')}.`,
  ].join('\n\n');
}

function presetsTable(): string {
  return table(
    ['Preset', 'Grants'],
    Object.entries<readonly Grant[]>(presets).map(([name, list]) => [code(name), list.map(code).join(' ')]),
  );
}

function routesTables(): string {
  const tags = [...new Set(allRoutes.map(({ tag }) => tag))];
  return tags
    .map((tag) => `### ${tag}\n\n${routesTable(allRoutes.filter((route) => route.tag === tag))}`)
    .join('\n\n');
}

const credentialNames: Readonly<Record<CredentialKind, string>> = {
  access: 'access token',
  project: 'project token',
  agent: 'agent token',
  core_instance: 'core instance',
};

function routesTable(routes: readonly Route[]): string {
  return table(
    ['Route', 'Credentials', 'Permission', 'What it does'],
    [...routes]
      .sort(byPath)
      .map((route) => [
        code(`${route.method} ${route.path}`),
        route.credentials.length === 0
          ? 'none'
          : [
              ...route.credentials.map((kind) => credentialNames[kind]),
              ...(route.takesBasic ? ['Basic'] : []),
            ].join(', '),
        permissionsOf(route).map(code).join(' and ') || '–',
        `${route.summary}.`,
      ]),
  );
}

const methodOrder: readonly Method[] = ['GET', 'POST', 'PATCH', 'DELETE'];

function byPath(one: Route, other: Route): number {
  if (one.path !== other.path) return one.path < other.path ? -1 : 1;
  return methodOrder.indexOf(one.method) - methodOrder.indexOf(other.method);
}

function routesThatNeed(permission: string): Route[] {
  return allRoutes.filter((route) => permissionsOf(route).some((one) => one === permission));
}

function permissionsOf({ permission, furtherPermission }: Route): string[] {
  return [permission, furtherPermission].filter((one) => one !== undefined);
}

function summaryOf({ summary }: Route): string {
  return summary.charAt(0).toLowerCase() + summary.slice(1);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.map(escapeCell).join(' | ')} |`).join('\n');
}

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

function code(text: string): string {
  return `\`${text}\``;
}
