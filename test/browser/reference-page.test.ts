import { buildOpenApiDocument, type OpenApiDocument } from '@muster/contract';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ServedPage, serveReferencePage } from '../../server/src/testing/serve-reference-page.ts';
import { findViolations } from './find-violations.ts';
import { launchBrowser, newContext } from './launch-browser.ts';
import { watchCopies } from './watch-copies.ts';

const document = buildOpenApiDocument('1.2.3');
const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
let whole: ServedPage;
/** Only a few operations of each form, because axe takes more than ten seconds for the whole reference. */
let short: ServedPage;
let browser: Browser;
/** Every test but one uses this page, because a new one compiles and draws the whole reference anew. */
let page: Page;
/** What the page requested from elsewhere, and what went wrong in it, since the test began. */
const foreign: string[] = [];
const complaints: string[] = [];

beforeAll(async () => {
  whole = await serveReferencePage(document);
  short = await serveReferencePage(shortDocument());
  browser = await launchBrowser();
  page = await (await newContext(browser, {})).newPage();
  page.on('request', (request) => {
    const isOwn = [whole, short].some(({ address }) => request.url().startsWith(`${address}/`));
    if (!isOwn) foreign.push(request.url());
  });
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('response', (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`);
  });
});

beforeEach(() => {
  foreign.length = 0;
  complaints.length = 0;
});

afterAll(async () => {
  await browser?.close();
  await whole?.close();
  await short?.close();
});

const views = [
  { colorScheme: 'light', width: 1440 },
  { colorScheme: 'dark', width: 1440 },
  { colorScheme: 'light', width: 360 },
  { colorScheme: 'dark', width: 360 },
] as const;

describe.each(views)('the reference in $colorScheme, $width px wide', ({ colorScheme, width }) => {
  it('loads only from this host, shows every operation in the requested colours, and does not scroll sideways', async () => {
    await open('/docs', { colorScheme, width });
    const headings = operations.map(({ operationId, summary }) => ({ operationId, summary }));
    expect(await page.evaluate(`(${visibleOperations})(${JSON.stringify(headings)})`)).toEqual(headings);
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(
      colorScheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(16, 21, 28)',
    );
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    expect(await page.evaluate(elementsBeyondTheEdge)).toEqual([]);
    expect({ foreign, complaints }).toEqual({ foreign: [], complaints: [] });
  });

  // Each colour and each width once, because axe takes seconds for a page.
  const isTriedByAxe = (colorScheme === 'light') === (width === 1440);
  it.each(isTriedByAxe ? ['/docs', '/errors/permission_denied'] : [])('%s is accessible', async (path) => {
    await open(path, { colorScheme, width }, short);
    expect(await findViolations(page)).toEqual([]);
  });

  it('explains a code on a page of its own', async () => {
    await open('/errors/permission_denied', { colorScheme, width });
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Permission denied');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    expect({ foreign, complaints }).toEqual({ foreign: [], complaints: [] });
    await page.getByRole('link', { name: 'Create a token in a project' }).click();
    await page.waitForURL(`${whole.address}/docs#createToken`);
  });
});

describe('the search', () => {
  it('shows the entries that contain every word, also in the contents, and their number', async () => {
    await open('/docs', { colorScheme: 'light', width: 1440 });
    await page.keyboard.press('/');
    await page.keyboard.type('Revoke Token');
    expect(await visible('#revokeToken')).toBe(true);
    expect(await visible('nav a[href="#revokeToken"]')).toBe(true);
    expect(await visible('#registerAgent')).toBe(false);
    expect(await visible('nav a[href="#registerAgent"]')).toBe(false);
    expect(await page.locator('.search output').textContent()).toMatch(/^\d+ found$/);
  });

  it.each([
    ['/v1/agents/{agentID}/errors', '#createAgentError'],
    ['dismissReason', '#schema-AgentError'],
    ['too_many_open_errors', '#error-too_many_open_errors'],
    ['Retry-After wait', '#errors'],
  ])('finds %s', async (text, place) => {
    await open('/docs', { colorScheme: 'light', width: 1440 });
    await page.getByRole('searchbox').fill(text);
    expect(await visible(place)).toBe(true);
    expect(await visible('#getLiveness')).toBe(false);
  });

  it('reports when nothing matches, and Escape shows everything again', async () => {
    await open('/docs', { colorScheme: 'light', width: 1440 });
    await page.getByRole('searchbox').fill('xyzzy');
    expect(await page.locator('.search output').textContent()).toBe('Nothing found');
    expect(await page.locator('main .entry:visible').count()).toBe(0);
    await page.keyboard.press('Escape');
    expect(await page.locator('main .entry:not(:visible)').count()).toBe(0);
  });

  it('is cleared by a link to a hidden entry', async () => {
    await open('/docs', { colorScheme: 'light', width: 1440 });
    await page.getByRole('searchbox').fill('revokeToken');
    await page.locator('#revokeToken').getByRole('link', { name: 'not_found', exact: true }).click();
    expect(await visible('#error-not_found')).toBe(true);
  });
});

describe('the contents', () => {
  it('are beside the page if there is room, and mark the current section', async () => {
    await open('/docs', { colorScheme: 'light', width: 1440 });
    await page.locator('nav a[href="#updateAgent"]').click();
    await page.locator('nav a[href="#updateAgent"][aria-current]').waitFor();
    expect(await page.locator('nav a[aria-current]').count()).toBe(1);
  });

  it('fold on a narrow screen, and again after a choice', async () => {
    await open('/docs', { colorScheme: 'light', width: 360 });
    const link = page.locator('nav a[href="#listTokens"]');
    expect(await link.isVisible()).toBe(false);
    await page.getByText('Contents', { exact: true }).click();
    await link.click();
    expect(await link.isVisible()).toBe(false);
    expect(await page.locator('#listTokens').isVisible()).toBe(true);
  });
});

describe('without scripts', () => {
  it('everything except the search works', async () => {
    const context = await newContext(browser, { javaScriptEnabled: false });
    const withoutScripts = await context.newPage();
    await withoutScripts.goto(`${whole.address}/docs`);
    expect(await withoutScripts.locator('main article:visible').count()).toBe(
      operations.length + Object.keys(document.components.schemas).length,
    );
    expect(await withoutScripts.getByRole('searchbox').count()).toBe(0);
  });
});

describe('an example', () => {
  it('is copied unchanged', async () => {
    await open('/docs', { colorScheme: 'light', width: 1440 });
    await page.context().grantPermissions(['clipboard-write']);
    const copiedText = await watchCopies(page);
    const figure = page.locator('#getLiveness figure').first();
    await figure.getByRole('button').click();
    await figure.getByText('Copied').waitFor();
    expect(await copiedText()).toBe('curl \\\n  "$MUSTER_URL/healthz"');
  });
});

async function open(
  path: string,
  { colorScheme, width }: { readonly colorScheme: 'light' | 'dark'; readonly width: number },
  host = whole,
): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height: 900 });
  await page.goto(`${host.address}${path}`);
}

function shortDocument(): OpenApiDocument {
  const paths = ['/v1/projects/{projectID}/tokens', '/v1/agents/{agentID}', '/v1/agents/{agentID}/errors'];
  const schemas = [
    'Token',
    'CreateToken',
    'AgentError',
    'CreateAgentError',
    'AgentErrorResult',
    'Actor',
    'Problem',
  ];
  return {
    ...document,
    paths: pick(document.paths, paths),
    components: { ...document.components, schemas: pick(document.components.schemas, schemas) },
  };
}

function pick<T>(record: Readonly<Record<string, T>>, names: readonly string[]): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => names.includes(name)));
}

function visible(selector: string): Promise<boolean> {
  return page.locator(selector).isVisible();
}

/** Runs in the page: those of which the heading is drawn. */
const visibleOperations = `(operations) => operations.filter(({ operationId, summary }) => {
  const headings = [...document.getElementById(operationId)?.querySelectorAll('h3') ?? []];
  return headings.some((heading) => heading.innerText === summary
    && heading.checkVisibility({ visibilityProperty: true }) && heading.getBoundingClientRect().height > 0);
})`;

/** Runs in the page. */
const elementsBeyondTheEdge = `
  [...document.querySelectorAll('header *, main *')]
    .filter((element) => element.getBoundingClientRect().right > innerWidth + 0.5)
    .map((element) => element.outerHTML.slice(0, 120))
`;
