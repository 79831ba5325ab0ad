import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startMuster } from '../../server/src/testing/muster-process.ts';
import { filesBelow, readSource, root } from '../architecture/source-files.ts';
import { send } from '../replicas/send.ts';
import { findFreePort } from './find-free-port.ts';
import { type CommandBlock, findMissingLines, readBlocks } from './read-blocks.ts';
import { ResidentMuster } from './resident-muster.ts';
import { serveApp } from './serve-app.ts';
import { Shell } from './shell.ts';

const addressInDocuments = 'http://127.0.0.1:7400';
const siteInDocuments = '127.0.0.1:7410';
const startCommand = 'npm start\n';

/** Separate tests run the commands of the guide to `muster copy`: test/copy. */
const testedElsewhere = ['docs/copy.md'];

/** Documents for users of Muster; those in bench/ are for people who measure it. */
const documents = filesBelow('.', ['.md']).filter(
  (path) => !/^(samples|bench)\//.test(path) && !testedElsewhere.includes(path),
);

const withBlocks = documents
  .map((path) => ({ path, blocks: readBlocks(readSource(path)) }))
  .filter(({ blocks }) => blocks.length > 0);

const isRun = ({ commands, notRunBecause }: CommandBlock): boolean =>
  notRunBecause === undefined && commands !== startCommand;

/** What serves a page. */
interface Server {
  readonly url: string;
  /** What it has printed. */
  readonly output: () => string;
  readonly end: () => Promise<unknown>;
}

/** As `npm start` starts it, in a process of its own, for a page that shows what the start prints. */
async function startServer(dataDirectory: string, isShown: boolean): Promise<Server> {
  if (isShown) {
    const service = await startMuster({ env: { MUSTER_DATA_DIR: dataDirectory } });
    return { url: service.url, output: () => service.stdout.text, end: () => service.end('SIGKILL') };
  }
  const { url, close } = await serveApp(dataDirectory, join(root, 'cli/dist/muster.mjs'));
  return { url, output: () => '', end: close };
}

const folder = mkdtempSync(join(tmpdir(), 'muster-readme-'));
/** Elsewhere than on Linux, each command is a process. */
let muster: ResidentMuster | undefined;
beforeAll(async () => {
  if (process.platform === 'linux') muster = await ResidentMuster.start(join(folder, 'bin'));
});
afterAll(() => {
  muster?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A server on its first start, and a shell beside its data directory. */
class Visit {
  readonly folder = mkdtempSync(join(tmpdir(), 'muster-readme-'));
  readonly #showsStart: boolean;
  #server: Server | undefined;
  #shell: Shell | undefined;
  #site = siteInDocuments;

  constructor(blocks: readonly CommandBlock[]) {
    this.#showsStart = blocks.some(({ commands }) => commands === startCommand);
  }

  async begin(): Promise<void> {
    const dataDirectory = join(this.folder, 'data');
    // As a checkout, in which npx finds the command.
    symlinkSync(join(root, 'node_modules'), join(this.folder, 'node_modules'));
    this.#server = await startServer(dataDirectory, this.#showsStart);
    const { url } = this.#server;
    this.#site = `127.0.0.1:${await findFreePort()}`;
    const projectToken = readFileSync(join(dataDirectory, 'project-token'), 'utf8').trim();
    const me = await send<{ projectID: string }>(`${url}/v1/me`, {
      headers: { 'X-Project-Token': projectToken },
    });
    this.#shell = new Shell({
      cwd: this.folder,
      // The variables that the README first tells its reader to set.
      env: {
        // As installed: `muster` is on the path, and the user has their own profiles.
        PATH: [
          ...(muster === undefined ? [] : [muster.folder]),
          join(root, 'node_modules/.bin'),
          process.env.PATH,
        ].join(':'),
        HOME: this.folder,
        MUSTER_URL: url,
        PROJECT_TOKEN: projectToken,
        PROJECT_ID: me.body.projectID,
        ADMIN_TOKEN: readFileSync(join(dataDirectory, 'admin-token'), 'utf8').trim(),
      },
    });
  }

  /** The server's output, with the address from the documents instead of its own. */
  printed(): string {
    return (this.#server?.output() ?? '').replaceAll(this.#server?.url ?? '', addressInDocuments);
  }

  async run({ commands }: CommandBlock): Promise<string> {
    const { url } = this.#server ?? { url: '' };
    const given = commands.replaceAll(addressInDocuments, url).replaceAll(siteInDocuments, this.#site);
    const printed = (await this.#shell?.run(given)) ?? '';
    return printed.replaceAll(url, addressInDocuments).replaceAll(this.#site, siteInDocuments);
  }

  async end(): Promise<void> {
    this.#shell?.close();
    await this.#server?.end();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const withCommandsToRun = withBlocks.filter(({ blocks }) =>
  blocks.some(({ notRunBecause }) => notRunBecause === undefined),
);

describe.each(withCommandsToRun)('the commands of $path', ({ blocks }) => {
  const visit = new Visit(blocks);
  beforeAll(() => visit.begin());
  afterAll(() => visit.end());

  it.each(blocks.filter(({ commands }) => commands === startCommand))(
    'line $line: the start prints what stands beside it',
    ({ output = '' }) => {
      expect(findMissingLines(output, visit.printed())).toEqual([]);
    },
  );

  // In order, because each block uses the results of those before.
  it.each(blocks.filter(isRun))('line $line: run, and print the documented output', async (block) => {
    const printed = await visit.run(block);
    expect([findMissingLines(block.output ?? '', printed), printed]).toEqual([[], printed]);
  });
});

describe('the documents', () => {
  it('contain commands', () => {
    expect(withBlocks.map(({ path }) => path)).toEqual(expect.arrayContaining(['README.md', 'docs/api.md']));
    expect(readBlocks(readSource('README.md')).length).toBeGreaterThan(4);
  });

  it('fence every block in a language, and commands as sh, so that none is overlooked', () => {
    const languages = ['sh', 'text', 'json', 'yaml', 'toml', 'ini', 'ts', 'sql'];
    const others = documents.flatMap((path) =>
      [...readSource(path).matchAll(/^ *```(\S*)\n[\s\S]*?^ *```$/gm)]
        .filter(([, language = '']) => !languages.includes(language))
        .map(([, language]) => `${path}: a block is fenced as '${language}'`),
    );
    expect(others).toEqual([]);
  });

  it('give a reason for every command that is not run', () => {
    const marked = documents.flatMap((path) => [...readSource(path).matchAll(/^<!-- not run.*$/gm)]);
    const applied = withBlocks.flatMap(({ blocks }) =>
      blocks.filter(({ notRunBecause }) => notRunBecause !== undefined),
    );
    expect(applied.length).toBe(marked.length);
  });
});

describe('reading blocks', () => {
  const fenced = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\`\n`;

  it('finds commands, what they print, and why they are not run', () => {
    const markdown = [
      `# Title\n\n${fenced('sh', 'echo 1')}`,
      `${fenced('text', '1')}`,
      `<!-- not run here: it takes long -->\n${fenced('sh', 'sleep 9')}`,
      `Words.\n\n${fenced('text', 'not the output of anything')}`,
    ].join('\n');
    expect(readBlocks(markdown)).toEqual([
      { line: 3, commands: 'echo 1\n', output: '1\n', notRunBecause: undefined },
      { line: 11, commands: 'sleep 9\n', output: undefined, notRunBecause: 'it takes long' },
    ]);
  });

  it('compares line by line, in their order, with … for anything and headers in any case', () => {
    const printed = 'HTTP/1.1 201 Created\nmuster-agent-error: created\n\n{"id":"0192","createdAt":"2026"}';
    expect(
      findMissingLines('HTTP/1.1 201 Created\nMuster-Agent-Error: created\n{"id":"…",…}', printed),
    ).toEqual([]);
    expect(findMissingLines('Muster-Agent-Error: created\nHTTP/1.1 201 Created', printed)).toEqual([
      'HTTP/1.1 201 Created',
    ]);
    expect(findMissingLines('http/1.1 201 created', printed)).toEqual(['http/1.1 201 created']);
    expect(findMissingLines('{"id":"…"}', printed)).toEqual([]);
    expect(findMissingLines('HTTP/1.1 201', printed)).toEqual(['HTTP/1.1 201']);
  });
});
