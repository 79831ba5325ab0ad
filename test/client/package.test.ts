import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildClient } from '../../scripts/build-client.mjs';
import { type ListeningApp, startListeningApp } from '../robustness/listening-app.ts';
import { compile, type Platform } from './compile.ts';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'muster-package-'));
const built = join(folder, 'built');
const project = join(folder, 'project');
const installed = join(project, 'node_modules/@muster/client');
let app: ListeningApp;

/** In a separate directory, without a network. */
async function npm(...args: readonly string[]): Promise<string> {
  const { stdout } = await run('npm', [...args, '--offline', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: project,
    env: { PATH: process.env.PATH, HOME: folder },
  });
  return stdout.trim();
}

beforeAll(async () => {
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{"name":"program","version":"1.0.0","type":"module"}');
  [app] = await Promise.all([startListeningApp(), buildClient(built)]);
  const tarball = await npm('pack', built, '--silent');
  await npm('install', join(project, tarball));
});

afterAll(async () => {
  await app?.test.close();
  rmSync(folder, { recursive: true });
});

describe('the package of the SDK', () => {
  it('contains the needed files and no sources', () => {
    expect(readdirSync(installed).sort()).toEqual([
      'LICENSE',
      'README.md',
      'index.d.ts',
      'index.js',
      'package.json',
    ]);
  });

  it('has no dependencies and no references outside itself', () => {
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as Record<
      string,
      unknown
    >; // any JSON object
    expect(Object.keys(manifest)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/private|workspaces|scripts|dependencies/i)]),
    );
    expect(readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
      '@muster',
    ]);
    for (const file of ['index.js', 'index.d.ts', 'package.json']) {
      const text = readFileSync(join(installed, file), 'utf8');
      expect([
        file,
        text.match(/\bfrom ['"][^'"]*['"]|\brequire\(|\bimport\(|\.\.\/|@muster\/(?!client)/g),
      ]).toEqual([file, null]);
    }
  });

  it('runs a program', async () => {
    const program = join(project, 'program.js');
    writeFileSync(
      program,
      `import { createAgentError, createClient, MusterError } from '@muster/client';
      const { MUSTER_URL, PROJECT_TOKEN, AGENT_ID } = process.env;
      const client = createClient({ url: MUSTER_URL, credential: { projectToken: PROJECT_TOKEN } });
      const report = () => createAgentError(client, { agentID: AGENT_ID, body: { error: 'disk full' } });
      console.log((await report()).outcome, (await report()).outcome);
      await createAgentError(client, { agentID: AGENT_ID, body: { error: '' } }).catch((error) => {
        console.log(error instanceof MusterError, error.code);
      });
      console.log(client);`,
    );
    const { stdout, stderr } = await run(process.execPath, [program], {
      env: {
        MUSTER_URL: `http://127.0.0.1:${app.port}`,
        PROJECT_TOKEN: app.project.token,
        AGENT_ID: app.agent.id,
      },
    });
    expect([stdout.split('\n').slice(0, 2), stderr]).toEqual([['created ignored', 'true invalid_body'], '']);
    expect(stdout).not.toContain('mst_p_');
  });

  const program = `
    import { type Client, createAgentError, createClient, createToken, listTokens, MusterError, type Permission, type Token } from '@muster/client';
    const client: Client = createClient({ url: 'http://127.0.0.1:7400', credential: { accessToken: 'x' } });
    export async function read(projectID: string): Promise<Token[]> {
      const tokens: Token[] = [];
      for await (const token of listTokens(client, { projectID, status: 'all' })) tokens.push(token);
      const permissions: readonly Permission[] = tokens[0]?.permissions ?? [];
      await createToken(client, { projectID, body: { name: 'ci', permissions } });
      const { outcome } = await createAgentError(client, { agentID: projectID, body: { error: 'x' } });
      const outcomes: ('created' | 'ignored')[] = [outcome];
      return outcomes.length > 0 ? tokens : [];
    }
    export const isGone = (error: unknown) => error instanceof MusterError && error.code === 'not_found';
    // @ts-expect-error: a status that does not exist
    listTokens(client, { projectID: 'p', status: 'gone' });
    // @ts-expect-error: no id
    listTokens(client, {});
    // @ts-expect-error: a code that does not exist
    export const isWrong = (error: MusterError) => error.code === 'no_found';
  `;
  const withPlatformFetch = `
    import { createClient, getMe } from '@muster/client';
    const client = createClient({ url: 'http://127.0.0.1:7400', fetch });
    export const me = getMe(client, {}, { signal: AbortSignal.timeout(1_000) });
  `;
  const platforms: [string, Platform, string[]][] = [
    ['nothing but the language', { lib: ['lib.es2022.d.ts'], types: [] }, [program]],
    ['a browser', { lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'], types: [] }, [program, withPlatformFetch]],
    ['a worker', { lib: ['lib.es2022.d.ts', 'lib.webworker.d.ts'], types: [] }, [program, withPlatformFetch]],
    ['Node', { lib: ['lib.es2022.d.ts'], types: ['node'] }, [program, withPlatformFetch]],
  ];

  it.each(platforms)('has types that compile with %s', (_, platform, programs) => {
    const files = programs.map((text, index) => [join(project, `program-${index}.ts`), text]);
    expect(compile(Object.fromEntries(files), platform)).toEqual([]);
  });

  it('has types for bundlers too', () => {
    const bundler = { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler };
    expect(
      compile({ [join(project, 'program.ts')]: program }, { lib: ['lib.es2022.d.ts'], types: [] }, bundler),
    ).toEqual([]);
  });
});
