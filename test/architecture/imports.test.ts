import { describe, expect, it } from 'vitest';
import {
  explainBrokenImports,
  explainCycles,
  explainFolderCycles,
  explainImportersOfEverything,
  unusedExceptions,
  wings,
} from './import-rules.ts';
import { type Import, identifiersOf, importsIn, importsOf } from './read-imports.ts';
import { filesBelow, isTest, productFiles } from './source-files.ts';

const imports = productFiles().flatMap(importsOf);

describe('imports of the product', () => {
  it('are found: the contract, the service and the command-line client are all read', () => {
    const importers = new Set(imports.map(({ from }) => from));
    expect([...importers]).toEqual(
      expect.arrayContaining([
        'contract/src/index.ts',
        'server/src/app/build-app.ts',
        'cli/src/run-muster.ts',
      ]),
    );
  });

  it('of the service are in its wings', () => {
    const inWing = new RegExp(`^server/src/(?:${wings.flat().join('|')})/`);
    const files = filesBelow('server/src', ['.ts']);
    expect(files.filter((path) => !inWing.test(path))).toEqual([]);
  });

  it('follow the rules of direction', () => {
    expect(explainBrokenImports(imports)).toEqual([]);
  });

  it('need every exception from the rules', () => {
    expect(unusedExceptions(imports)).toEqual([]);
  });

  it('come together only in build-app.ts', () => {
    expect(explainImportersOfEverything(imports)).toEqual([]);
  });

  it('have no circles', () => {
    expect(explainCycles(imports)).toEqual([]);
  });

  it('between the folders of the service have no circles', () => {
    expect(explainFolderCycles(imports)).toEqual([]);
  });

  it('do not bring the known faults of agents to the database threads, each of which would keep a copy', () => {
    const loaded = loadedFrom('server/src/app/sqlite-worker.ts', imports);
    expect(loaded).toContain('faults/src/fold/fold-error.ts');
    expect(loaded.filter((path) => /^faults\/src\/(?:explain|catalogue)\//.test(path))).toEqual([]);
  });

  it('of the contract, redaction and faults use nothing that only some platforms have', () => {
    const platform = [
      'process',
      'Buffer',
      'require',
      'global',
      '__dirname',
      'console',
      'fetch',
      'setTimeout',
    ];
    const uses = ['contract/src', 'redaction/src', 'faults/src', 'fleet-config/src']
      .flatMap((folder) => filesBelow(folder, ['.ts']))
      .filter((path) => !isTest(path))
      .flatMap((path) => {
        const names = identifiersOf(path);
        return platform.filter((name) => names.has(name)).map((name) => `${path} uses ${name}`);
      });
    expect(uses).toEqual([]);
  });
});

describe('the rules of direction', () => {
  it.each([
    ['contract/src/route.ts', 'node:fs', 'the contract runs anywhere'],
    ['contract/src/route.ts', '@muster/server', 'the contract runs anywhere'],
    ['redaction/src/redact-text.ts', 'node:fs', 'redaction reads texts'],
    ['redaction/src/redact-text.ts', '@muster/contract', 'redaction reads texts'],
    ['faults/src/fold/fold-error.ts', 'node:fs', 'faults reads texts'],
    ['faults/src/fold/fold-error.ts', '@muster/contract', 'faults reads texts'],
    ['fleet-config/src/validate-fleet-config.ts', 'node:fs', 'fleet-config reads texts'],
    ['fleet-config/src/validate-fleet-config.ts', '@muster/redaction', 'fleet-config reads texts'],
    [
      'server/src/foundation/clock.ts',
      '@muster/cli',
      'the server depends on the contract, redaction, faults, fleet-config and http',
    ],
    ['http/src/refusal.ts', '@muster/server', 'http knows connections, requests and answers'],
    ['core-instance/src/spool/spool.ts', '@muster/server/config', 'neither the service nor a database'],
    ['core-instance/src/spool/spool.ts', '@muster/client', 'neither the service nor a database'],
    ['cli/src/commands/core-instance.ts', '@muster/core-instance', 'only when it runs it'],
    ['client/src/index.ts', '@muster/server', 'the client goes into other programs'],
    ['client/src/index.ts', '@muster/report', 'the client goes into other programs'],
    ['report/src/run-report.ts', '@muster/cli', 'through the client alone'],
    ['report/src/run-report.ts', '@muster/server/config', 'through the client alone'],
    ['report/src/run-report.ts', '@muster/faults/explain', 'through the client alone'],
    ['cli/src/commands/report.ts', '@muster/report', 'only when it runs one'],
    ['cli/src/commands/errors/errors.ts', '@muster/faults', 'only when it explains one'],
    ['cli/src/commands/fleets.ts', '@muster/fleet-config', 'only when it checks one'],
    ['web/src/main.tsx', '@muster/server', 'the dashboard reaches the service through the client'],
    ['cli/src/muster.ts', 'contract/src/route.ts', 'a workspace is imported by the name of its package'],
    ['cli/src/muster.ts', '@muster/server', 'the command-line client takes nothing of the server'],
    ['server/src/people/tokens/token-service.ts', 'server/src/testing/test-clock.ts', 'only tests use'],
    ['server/src/people/tokens/token-service.ts', 'server/src/app/build-app.ts', 'the wings below it alone'],
    [
      'server/src/people/tokens/token-service.ts',
      'server/src/app/composition/create-fleet.ts',
      'the wings below it alone',
    ],
    [
      'server/src/foundation/clock.ts',
      'server/src/people/tokens/token-service.ts',
      'the wings below it alone',
    ],
    [
      'server/src/foundation/http/mount-route.ts',
      'server/src/people/tokens/token-service.ts',
      'the wings below it alone',
    ],
    [
      'server/src/foundation/http/mount-route.ts',
      'server/src/foundation/database/migrate.ts',
      'http/ takes from database/ the type',
    ],
    [
      'server/src/foundation/database/migrate.ts',
      'server/src/people/tokens/token-store.ts',
      'the wings below it alone',
    ],
    [
      'server/src/foundation/credentials/principal.ts',
      'server/src/foundation/http/create-http-app.ts',
      'credentials/ is what features and http/ build on',
    ],
    [
      'server/src/pages/sign-in-routes.ts',
      'server/src/pages/reference-page/reference-page.ts',
      'app/ alone imports it',
    ],
    [
      'server/src/foundation/clock.ts',
      'server/src/foundation/http/mount-route.ts',
      'what every feature builds on',
    ],
    [
      'server/src/people/tokens/token.ts',
      'server/src/foundation/clock.ts',
      'a rule file imports nothing but the contract',
    ],
    ['server/src/fleet/agents/agent.ts', 'node:crypto', 'a rule file imports nothing but the contract'],
    [
      'server/src/people/tokens/token-service.ts',
      'server/src/fleet/agents/agent-store.ts',
      "another feature's service",
    ],
    [
      'server/src/people/tokens/token-service.ts',
      'server/src/foundation/http/answers/page-links.ts',
      'only routes know of HTTP',
    ],
    [
      'server/src/people/tokens/token-service.ts',
      'server/src/people/tokens/token-routes.ts',
      'only routes know of HTTP',
    ],
    ['server/src/people/tokens/token-service.ts', 'fastify', 'only routes know of HTTP'],
    [
      'server/src/people/tokens/token-routes.ts',
      'server/src/people/tokens/token-store.ts',
      'routes ask their service',
    ],
    [
      'server/src/people/tokens/token-routes.ts',
      'server/src/foundation/database/database.ts',
      'routes ask their service',
    ],
    [
      'server/src/people/tokens/token-store.ts',
      'server/src/people/tokens/token-service.ts',
      'a store asks the database',
    ],
    ['server/src/people/tokens/token-service.ts', 'kysely', 'SQL is written in stores'],
    [
      'server/src/fleet/agents/agent-service.ts',
      'server/src/foundation/database/sqlite/sqlite-threads.ts',
      'what only one engine has',
    ],
  ])('refuse that %s imports %s', (from, to, reason) => {
    expect(explainBrokenImports([staticImport(from, to)])).toEqual([
      expect.stringMatching(new RegExp(`^${from} imports ${to}, but .*${reason}.*\\.$`)),
    ]);
  });

  it.each([
    ['server/src/people/tokens/token-routes.ts', 'server/src/people/tokens/token-service.ts'],
    ['server/src/people/tokens/token-routes.ts', 'server/src/foundation/http/mount-route.ts'],
    ['server/src/people/tokens/token-service.ts', 'server/src/fleet/projects/project-service.ts'],
    ['server/src/people/tokens/token-store.ts', 'kysely'],
    [
      'server/src/errors/intake/report-store-sqlite.ts',
      'server/src/foundation/database/sqlite/sqlite-threads.ts',
    ],
    ['server/src/app/main.ts', 'server/src/app/build-app.ts'],
    ['cli/src/muster.ts', '@muster/server/config'],
    ['cli/src/muster.ts', '@muster/server/config-error'],
    ['cli/src/muster.ts', '@muster/server/start-flags'],
    ['report/src/sending/connect-service.ts', '@muster/client'],
    ['server/src/people/tokens/token.ts', '@muster/contract'],
  ])('allow %s to import %s', (from, to) => {
    expect(explainBrokenImports([staticImport(from, to)])).toEqual([]);
  });

  it('allow the command-line client to load the server for serve', () => {
    const one = {
      ...staticImport('cli/src/commands/service/serve.ts', '@muster/server'),
      kind: 'dynamic',
    } as const;
    expect(explainBrokenImports([one])).toEqual([]);
  });

  it('allow the command-line client to load the report workspace for report', () => {
    const one = { ...staticImport('cli/src/commands/report.ts', '@muster/report'), kind: 'dynamic' } as const;
    expect(explainBrokenImports([one])).toEqual([]);
  });

  it('allow routes to import the row types of their store', () => {
    const one = {
      ...staticImport('server/src/people/tokens/token-routes.ts', 'server/src/people/tokens/token-store.ts'),
    };
    expect(explainBrokenImports([{ ...one, isTypeOnly: true }])).toEqual([]);
  });

  it('name a file beside build-app.ts that imports every feature', () => {
    const all = [
      staticImport('server/src/people/tokens/token-service.ts', 'kysely'),
      staticImport('server/src/fleet/agents/agent-service.ts', 'kysely'),
      staticImport('server/src/app/main.ts', 'server/src/people/tokens/token-service.ts'),
      staticImport('server/src/app/main.ts', 'server/src/fleet/agents/agent-service.ts'),
    ];
    expect(explainImportersOfEverything(all)).toEqual([
      'server/src/app/main.ts imports every feature, but only build-app.ts puts everything together.',
    ]);
  });

  it('name a circle with every file in it', () => {
    expect(
      explainCycles([
        staticImport('a.ts', 'b.ts'),
        staticImport('b.ts', 'c.ts'),
        staticImport('c.ts', 'b.ts'),
      ]),
    ).toEqual(['b.ts imports c.ts imports b.ts, but imports never run in a circle.']);
  });

  it('name a circle of folders of the service, also where no files are in one', () => {
    expect(
      explainFolderCycles([
        staticImport(
          'server/src/people/tokens/token-service.ts',
          'server/src/fleet/projects/project-service.ts',
        ),
        staticImport('server/src/fleet/projects/project-routes.ts', 'server/src/people/tokens/token.ts'),
        staticImport(
          'server/src/people/tokens/token-routes.ts',
          'server/src/foundation/http/answers/page-links.ts',
        ),
      ]),
    ).toEqual([
      'server/src/people/tokens imports server/src/fleet/projects imports server/src/people/tokens, but imports never run in a circle.',
    ]);
  });

  it('name a circle of rooms of a wing that is one feature', () => {
    expect(
      explainFolderCycles([
        staticImport(
          'server/src/errors/intake/intake.ts',
          'server/src/errors/groups/identity/error-group.ts',
        ),
        staticImport('server/src/errors/intake/intake.ts', 'server/src/errors/report.ts'),
        staticImport('server/src/errors/reporting/report-service.ts', 'server/src/errors/intake/intake.ts'),
        staticImport('server/src/errors/groups/explain-group.ts', 'server/src/errors/intake/intake.ts'),
      ]),
    ).toEqual([
      'server/src/errors/intake imports server/src/errors/groups imports server/src/errors/intake, but imports never run in a circle.',
    ]);
  });
});

describe('reading imports', () => {
  it('finds every way to write one', () => {
    const source = `
      import type { A } from './a.ts';
      import { type B, type C } from '../b.ts';
      import { d, type D } from './deep/d.ts';
      import * as e from 'node:fs';
      import './f.ts';
      export * from './g.ts';
      const h = await import('./h.ts');
      type I = typeof import('i');
      const j = require('j');
    `;
    expect(importsIn('x/src/y.ts', source)).toEqual([
      { from: 'x/src/y.ts', to: 'x/src/a.ts', kind: 'static', isTypeOnly: true },
      { from: 'x/src/y.ts', to: 'x/b.ts', kind: 'static', isTypeOnly: true },
      { from: 'x/src/y.ts', to: 'x/src/deep/d.ts', kind: 'static', isTypeOnly: false },
      { from: 'x/src/y.ts', to: 'node:fs', kind: 'static', isTypeOnly: false },
      { from: 'x/src/y.ts', to: 'x/src/f.ts', kind: 'static', isTypeOnly: false },
      { from: 'x/src/y.ts', to: 'x/src/g.ts', kind: 'static', isTypeOnly: false },
      { from: 'x/src/y.ts', to: 'x/src/h.ts', kind: 'dynamic', isTypeOnly: false },
      { from: 'x/src/y.ts', to: 'i', kind: 'static', isTypeOnly: true },
      { from: 'x/src/y.ts', to: 'j', kind: 'dynamic', isTypeOnly: false },
    ]);
  });
});

/** All files of the product that are loaded with a file. */
function loadedFrom(file: string, all: readonly Import[]): string[] {
  const loaded = new Set([file]);
  for (const importer of loaded) {
    for (const { from, to, kind, isTypeOnly } of all) {
      if (from === importer && kind === 'static' && !isTypeOnly) loaded.add(fileOf(to));
    }
  }
  return [...loaded];
}

/** The file behind the name of a workspace, with its subpath if it has one. */
function fileOf(path: string): string {
  const [, workspace, subpath] = /^@muster\/(\w+)(\/\w+)?$/.exec(path) ?? [];
  return workspace === undefined ? path : `${workspace}/src${subpath ?? ''}/index.ts`;
}

function staticImport(from: string, to: string): Import {
  return { from, to, kind: 'static', isTypeOnly: false };
}
