import {
  listAgentErrorGroups,
  listAgents,
  listCoreInstances,
  listFleets,
  listRollouts,
  listTokens,
} from '@muster/client';
import type { Page } from 'playwright-core';
import type { Shown } from './photograph.ts';

/** What is photographed. */
export interface Screen {
  readonly path: string;
  /** Without a session. */
  readonly isPublic?: true;
  /** Absent: the screen as it opens. Otherwise what a user does on it, of which two views are taken: a wide one and one of a phone. */
  readonly act?: (page: Page) => Promise<void>;
}

const newAgents = 12;

/** All screens by their names, with one cause, one agent and one token that exist, and the dialogs that open on them. */
export async function findScreens({
  admin,
  projectID,
  registerAgents,
}: Shown): Promise<Readonly<Record<string, Screen>>> {
  const [causes, agents, tokens, sites, fleets, rollouts] = await Promise.all([
    listAgentErrorGroups(admin, { projectID, sort: 'agents' }).first(),
    listAgents(admin, { projectID, status: 'unhealthy' }).first(),
    listTokens(admin, { projectID }).first(),
    listCoreInstances(admin, { projectID }).first(),
    listFleets(admin, { projectID }).first(),
    listRollouts(admin, { projectID }).first(),
  ]);
  // One that the catalogue explains, if there is one.
  const cause = causes.items.find(({ pattern }) => /status=(401|503)/.test(pattern)) ?? causes.items[0];
  const [agent] = agents.items;
  const token = tokens.items.at(-1);
  const [site] = sites.items;
  const [rollout] = rollouts.items;
  const project = `/projects/${projectID}`;
  const of = (path: string, act?: Screen['act']): Screen => ({
    path: `${project}${path}`,
    ...(act === undefined ? {} : { act }),
  });
  return {
    'sign-in': { path: '/sign_in', isPublic: true },
    invitation: { path: '/invitation' },
    'invitation-new-user': { path: '/invitation', isPublic: true },
    overview: of(''),
    navigation: of('', openNavigation),
    palette: of('', press('Control+k')),
    keys: of('', press('?')),
    'user-menu': of('', openUserMenu),
    causes: of('/causes'),
    ...(cause === undefined
      ? {}
      : {
          'causes-selected': of('/causes', selectRows),
          'causes-dismiss': of('/causes', async (page) => {
            await selectRows(page);
            await press('d')(page);
          }),
          cause: of(`/causes/${cause.id}`),
          'cause-mute': of(`/causes/${cause.id}`, click('Mute…')),
        }),
    ...(rollout === undefined ? {} : { rollout: of(`/fleets/${rollout.fleetID}/rollouts/${rollout.id}`) }),
    dismissals: of('/dismissals'),
    agents: of('/agents'),
    // Rows wait to be shown only where others are read.
    ...(registerAgents === undefined || agent === undefined
      ? {}
      : {
          'agents-news': of('/agents?group=none', async (page) => {
            await registerAgents(newAgents);
            await page.getByRole('button', { name: `${newAgents} new` }).waitFor();
          }),
        }),
    ...(agent === undefined
      ? {}
      : {
          'agents-selected': of('/agents?group=none', selectRows),
          agent: of(`/agents/${agent.id}`),
          'agent-delete': of(`/agents/${agent.id}`, async (page) => {
            await page.getByRole('button', { name: `Actions for ${agent.name}` }).click();
            await page.getByRole('menuitem', { name: 'Delete…' }).click();
            await page.getByRole('dialog').waitFor();
          }),
        }),
    fleets: of('/fleets'),
    'fleets-create': of('/fleets', click('Create a fleet')),
    ...Object.fromEntries(
      fleets.items.flatMap(({ id, name }) => [
        [`fleet-${name}`, of(`/fleets/${id}`)],
        [`fleet-${name}-edit`, of(`/fleets/${id}/edit`)],
      ]),
    ),
    sites: of('/sites'),
    ...Object.fromEntries(sites.items.map(({ id, name }) => [`site-${name}`, of(`/sites/${id}`)])),
    ...(site === undefined
      ? {}
      : {
          'sites-add': of('/sites', click('Add a site')),
          'site-rotate': of(`/sites/${site.id}`, click('Rotate…')),
          'site-delete': of(`/sites/${site.id}`, click('Delete…')),
        }),
    tokens: of('/tokens'),
    'tokens-create': of('/tokens', click('Create a token')),
    ...(token === undefined
      ? {}
      : {
          token: of(`/tokens/${token.id}`),
          'token-revoke': of(`/tokens/${token.id}`, click('Revoke')),
        }),
    members: of('/members'),
    'members-invite': of('/members', click('Invite')),
    'members-invitations': of('/members?section=invitations'),
    audit: of('/audit_log'),
    'audit-entry': of('/audit_log', async (page) => {
      await page.locator('[data-row="0"] button').click();
      await page.getByRole('dialog').waitFor();
    }),
    alerts: of('/alerts'),
    // A rule; while there is neither a rule nor a channel, both.
    'alerts-create': of('/alerts', click(/^Create/)),
    'alerts-channels': of('/alerts?section=channels'),
    'alerts-create-channel': of('/alerts?section=channels', click(/^Create/)),
    'alerts-messages': of('/alerts?section=messages'),
    settings: of('/settings'),
    'settings-tokens': of('/settings?section=access_tokens'),
    'settings-create-token': of('/settings?section=access_tokens', click('Create access token')),
    'settings-sessions': of('/settings?section=sessions'),
    'settings-appearance': of('/settings?section=appearance'),
    account: { path: '/account' },
    'installation-audit': { path: '/account/audit_log' },
  };
}

function press(keys: string) {
  return async (page: Page) => {
    await page.keyboard.press(keys);
    await page.getByRole('dialog').waitFor();
  };
}

/** Wide windows show it at all times. */
async function openNavigation(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: 'Open the navigation' });
  if (await button.isVisible()) await button.click();
}

async function openUserMenu(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('menu').waitFor();
}

/** Each of these buttons opens a dialog. */
function click(name: string | RegExp) {
  return async (page: Page) => {
    await page.locator('main').getByRole('button', { name }).last().click();
    // Its code is loaded when it is opened for the first time.
    await page.getByRole('dialog').waitFor();
  };
}

async function selectRows(page: Page): Promise<void> {
  for (const row of [0, 1]) {
    const box = page.locator(`[data-row="${row}"] input[type="checkbox"]`);
    if ((await box.count()) > 0) await box.check();
  }
}
