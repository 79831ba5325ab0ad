import { createAccessToken } from '@muster/client';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rows, send } from '../../../server/src/testing/calls/credential-table.ts';
import { aWaitingRollout } from '../../../server/src/testing/stages/fleet-targets.ts';
import type { TestProject } from '../../../server/src/testing/start-test-app.ts';
import { inviteUser } from './invite-user.ts';
import { type Role, roles, type Screen, screens } from './role-screens.ts';
import { type Dashboard, startDashboard } from './start-dashboard.ts';
import { waitUntilCounted } from './wait-until-counted.ts';

let dashboard: Dashboard;
let ids: Readonly<Record<string, string>>;

beforeAll(async () => {
  dashboard = await startDashboard();
  ids = await fillProject();
});
afterAll(() => dashboard.close());

function call<Body>(path: string, body: object | undefined, method = 'POST'): Promise<Body> {
  const { test, project } = dashboard.app;
  const url = path.replace('{projectID}', project.id);
  return test
    .request<Body>(method, url, { as: { access: test.admin }, ...(body && { body }) })
    .then((answer) => {
      expect(answer.status, answer.text).toBeLessThan(300);
      return answer.body;
    });
}

interface Made {
  readonly id: string;
}

interface MadeToken extends Made {
  readonly token: string;
}

/** One of everything that can be acted on. */
async function fillProject(): Promise<Readonly<Record<string, string>>> {
  const { test, project } = dashboard.app;
  const post = <Body = Made>(path: string, body: object) => call<Body>(path, body);
  const as = { project: project.token };
  const { body: agent } = await test.request<Made>('POST', '/v1/agents', {
    as,
    body: { name: 'edge-1', machineID: 'm-edge-1', rawConfig: '[OUTPUT]\n  name es\n' },
  });
  const path = `/v1/agents/${agent.id}/errors`;
  const { body: error } = await test.request<Made>('POST', path, { as, body: { error: 'disk full' } });
  const causeID = await waitUntilCounted(dashboard, error.id);
  const dismissal = { reason: 'Repaired', filter: { q: 'matches nothing' } };
  await post('/v1/projects/{projectID}/dismissals', dismissal);
  await post('/v1/projects/{projectID}/alert_rules', { kind: 'new_group' });
  const channel = { name: 'on-call', kind: 'webhook', url: 'https://hooks.example.invalid/muster' };
  await post('/v1/projects/{projectID}/alert_channels', channel);
  await post('/v1/projects/{projectID}/invitations', { role: 'viewer', email: 'ada@example.com' });
  const token = await post('/v1/projects/{projectID}/tokens', { name: 'fleet', permissions: [] });
  await inviteUser(dashboard, { permissions: ['read:member'] }, 'Mona');
  const permissions = ['create:core_instance'];
  const maker = await post<MadeToken>('/v1/projects/{projectID}/tokens', { name: 'sites', permissions });
  const { body: site } = await test.request<Made>('POST', '/v1/core_instances', {
    as: { project: maker.token },
    body: { name: 'plant-7' },
  });
  const fleet = await post('/v1/projects/{projectID}/fleets', { name: 'eu-west-1' });
  const { rolloutID = '' } = (await aWaitingRollout(test, project)).params;
  const { fleetID: rolloutFleetID } = await call<{ fleetID: string }>(
    `/v1/rollouts/${rolloutID}`,
    undefined,
    'GET',
  );
  return {
    causeID,
    agentID: agent.id,
    tokenID: token.id,
    siteID: site.id,
    fleetID: fleet.id,
    rolloutID,
    rolloutFleetID,
  };
}

interface Visitor {
  readonly userID: string;
  readonly token: string;
  readonly page: Page;
  /** What the service refused to the page. */
  readonly refused: readonly string[];
}

/** Signs in as the role. */
async function enter({ name, member, narrowing }: Role): Promise<Visitor> {
  const user =
    member === undefined
      ? { id: '', token: dashboard.app.test.admin, client: dashboard.admin }
      : await inviteUser(dashboard, member, name);
  const token =
    narrowing === undefined
      ? user.token
      : (await createAccessToken(user.client, { body: { name: 'narrowed', ...narrowing } })).token;
  const page = await (await dashboard.signIn(undefined, token)).newPage();
  const refused: string[] = [];
  page.on('response', (response) => {
    if (response.status() === 403) refused.push(`${response.request().method()} ${response.url()}`);
  });
  return { userID: user.id, token, page, refused };
}

/** Goes there as a link does, without a new page. */
async function goTo(page: Page, { path, shows }: Screen): Promise<void> {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '');
  const address = `/projects/${dashboard.app.project.id}${filled}`;
  // The earlier screen may show the same text. Its heading goes with it, unless the other one is a part of the same screen.
  await page.evaluate(`
    if (new URL('${address}', location).pathname !== location.pathname)
      document.querySelector('main h1')?.setAttribute('data-earlier', '');
    history.pushState(null, '', '${address}');`);
  await page.locator('h1[data-earlier]').waitFor({ state: 'detached' });
  await page.getByRole('main').getByText(shows).first().waitFor();
  await expect.poll(() => page.locator('main .mantine-Skeleton-root').count()).toBe(0);
}

/** They change nothing but what the screen shows. */
const harmless =
  /^(?:(?:Agents|Reports|Since|Last seen)(?: ↓)?|Actions for .*|Copy|Clear the filters|.* created the project .*)$/;

/** What is opened to see what can be done. */
const menus = /^Actions for (?:Mona|edge-1)$/;

/** The names of what can be pressed on a screen to do something. Of the menus of rows, that of Mona. */
async function buttonsOn(page: Page): Promise<string[]> {
  const names = await page.evaluate<string[]>(`
    [...document.querySelectorAll('main button, main a[download], main input[type=checkbox]')]
      .map((button) => button.getAttribute('aria-label') ?? button.innerText)`);
  const buttons = names.filter((name) => !harmless.test(name));
  const menu = names.find((name) => menus.test(name));
  if (menu !== undefined) {
    await page.getByRole('button', { name: menu, exact: true }).click();
    await page.getByRole('menuitem').first().waitFor();
    const items = await page.getByRole('menuitem').allInnerTexts();
    buttons.push(...items.map((item) => `${menu.replace('Actions for ', '')}: ${item}`));
    // A menu takes the focus some moments after it is seen, and keys that are typed before do not reach it.
    await page.locator('[role="menu"] :focus').waitFor({ state: 'attached' });
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
  }
  return [...new Set(buttons)].sort();
}

async function join(projectID: string, { member }: Role, { userID }: Visitor): Promise<void> {
  if (member !== undefined) await call(`/v1/projects/${projectID}/members`, { userID, ...member });
}

/** True if the service does what a button leads to. */
async function isAccepted(
  request: string,
  twin: TestProject,
  role: Role,
  visitor: Visitor,
): Promise<boolean> {
  const row = rows.find(({ method, path }) => `${method} ${path}` === request);
  if (row === undefined) throw new Error(`${request} is no row of the credential table`);
  const { test } = dashboard.app;
  const target = await row.target(test, twin);
  const { projectID = twin.id } = target.params;
  // A project that may end.
  if (projectID !== twin.id) await join(projectID, role, visitor);
  const { status, text } = await send(test, row, target, { as: { access: visitor.token } });
  expect([row.success, 403], text).toContain(status);
  return status !== 403;
}

const requests = [...new Set(screens.flatMap(({ actions }) => Object.values(actions)))];

describe.each(roles)('$name', (role) => {
  it('sees the screens of the role, on them the buttons whose requests the service accepts, and no other', async () => {
    const visitor = await enter(role);
    const { page, refused } = visitor;
    // The role is the same there. Requests change this project, and the screens show the other one.
    const twin = await dashboard.app.test.createProject('twin');
    await join(twin.id, role, visitor);
    await page.goto(`${dashboard.address}/projects/${dashboard.app.project.id}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    const links = page.getByRole('navigation', { name: 'Screens' }).getByRole('link');
    // Some have a count behind their name.
    const names = async () => (await links.allInnerTexts()).map((text) => text.split('\n', 1)[0]);
    await expect.poll(names).toEqual(role.screens);
    const accepted = new Set<string>();
    for (const request of requests) if (await isAccepted(request, twin, role, visitor)) accepted.add(request);
    for (const screen of screens) {
      if (!role.screens.includes(screen.name.split(',', 1)[0] ?? '')) continue;
      await goTo(page, screen);
      const permitted = Object.entries(screen.actions).filter(([, request]) => accepted.has(request));
      const expected = permitted.map(([button]) => button).sort();
      await expect.poll(() => buttonsOn(page), { message: screen.name }).toEqual(expected);
    }
    expect(refused).toEqual([]);
    await page.context().close();
  });
});
