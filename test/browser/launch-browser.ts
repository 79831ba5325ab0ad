import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type LaunchOptions,
} from 'playwright-core';
import { takeSupply } from '../../server/src/testing/test-supplies.ts';

const systemBrowsers = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** A page on a busy machine takes longer than the 30 s that the driver waits. Only what never comes takes longer than this. */
const maxWaitMilliseconds = 120_000;

/** A context of its own, like a new private window. */
export async function newContext(browser: Browser, options: BrowserContextOptions): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(maxWaitMilliseconds);
  return context;
}

/** In tests, a connection to the browser of the run, because a start takes more than a second of the processor. Elsewhere, a browser of its own. */
export async function launchBrowser(): Promise<Browser> {
  if (process.env.MUSTER_TEST_SUPPLIES === undefined) return chromium.launch(await browserOptions());
  return chromium.connect((await takeSupply('browser')).address);
}

/** The machine's Chromium if there is one, otherwise the one in an npm package (Linux on x64). */
export async function browserOptions(): Promise<LaunchOptions> {
  const { args, ...found } = await findBrowser();
  // Pages of a context share a process, and none is started in advance.
  return { ...found, args: [...args, '--renderer-process-limit=1'] };
}

/** The same with a profile in a folder. Other programs can use it through a port. */
export async function launchBrowserWithPort(
  profile: string,
): Promise<{ readonly context: BrowserContext; readonly port: number }> {
  const { args, ...found } = await findBrowser();
  const context = await chromium.launchPersistentContext(profile, {
    ...found,
    args: [...args, '--remote-debugging-port=0'],
    locale: 'en',
  });
  const [port] = (await readFile(join(profile, 'DevToolsActivePort'), 'utf8')).split('\n');
  return { context, port: Number(port) };
}

async function findBrowser() {
  const system = systemBrowsers.find((path) => existsSync(path));
  // The sandbox does not work in containers, and the pages are our own. The package's own flags are deliberately not
  // used: they disable what the tests check, such as the same-origin policy.
  const args = ['--no-sandbox'];
  if (system !== undefined) return { executablePath: system, args };
  const directory = await unpackBrowser();
  return {
    executablePath: join(directory, 'chromium'),
    args,
    env: { ...process.env, LD_LIBRARY_PATH: join(directory, 'al2023/lib'), ...fontsOf(directory) },
  };
}

const unpackScript = new URL('./unpack-browser.mjs', import.meta.url);
const nodeModules = join(import.meta.dirname, '../../node_modules');

/**
 * Unpacked once per version, into a temporary folder that is then moved: test files run concurrently, and one of them
 * may be stopped.
 */
async function unpackBrowser(): Promise<string> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error(
      `The tests in a browser found none: the one that npm installs runs on Linux x64 alone. Install Chromium or Chrome as one of ${systemBrowsers.join(', ')}.`,
    );
  }
  const manifest = await readFile(join(nodeModules, '@sparticuz/chromium/package.json'), 'utf8');
  const { version } = JSON.parse(manifest) as { version: string }; // as every package has it
  const cache = join(nodeModules, '.cache/muster');
  const directory = join(cache, `chromium-${version}`);
  if (existsSync(directory)) return directory;
  await mkdir(cache, { recursive: true });
  const temporary = await mkdtemp(join(cache, 'chromium-'));
  try {
    // The package unpacks to the temporary folder; a separate process can set its own.
    await promisify(execFile)(process.execPath, [fileURLToPath(unpackScript)], {
      // On Lambda it also unpacks the libraries that a minimal machine lacks.
      env: { ...process.env, TMPDIR: temporary, AWS_LAMBDA_JS_RUNTIME: 'nodejs20.x' },
    });
    await rename(temporary, directory);
  } catch (error) {
    if (!existsSync(directory)) throw error;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  return directory;
}

/** Without fonts no text is drawn; the package contains some. */
function fontsOf(directory: string): Record<string, string> {
  return existsSync('/etc/fonts/fonts.conf') ? {} : { FONTCONFIG_PATH: join(directory, 'fonts') };
}
