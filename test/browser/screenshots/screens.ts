import { listAgentErrorGroups, listAgents, listTokens } from '@muster/client';
import type { Shown } from './photograph.ts';

/** The addresses of all screens by their names, with one cause, one agent and one token that exist. */
export async function findScreens({ admin, projectID }: Shown): Promise<Readonly<Record<string, string>>> {
  const [causes, agents, tokens] = await Promise.all([
    listAgentErrorGroups(admin, { projectID, sort: 'agents' }).first(),
    listAgents(admin, { projectID, status: 'unhealthy' }).first(),
    listTokens(admin, { projectID }).first(),
  ]);
  // One that the catalogue explains, if there is one.
  const cause = causes.items.find(({ pattern }) => /status=(401|503)/.test(pattern)) ?? causes.items[0];
  const [agent] = agents.items;
  const token = tokens.items.at(-1);
  const project = `/projects/${projectID}`;
  return {
    'sign-in': '/sign_in',
    overview: project,
    causes: `${project}/causes`,
    ...(cause === undefined ? {} : { cause: `${project}/causes/${cause.id}` }),
    dismissals: `${project}/dismissals`,
    agents: `${project}/agents`,
    ...(agent === undefined ? {} : { agent: `${project}/agents/${agent.id}` }),
    tokens: `${project}/tokens`,
    ...(token === undefined ? {} : { token: `${project}/tokens/${token.id}` }),
    members: `${project}/members`,
    'members-invitations': `${project}/members?section=invitations`,
    audit: `${project}/audit_log`,
    alerts: `${project}/alerts`,
    'alerts-channels': `${project}/alerts?section=channels`,
    'alerts-messages': `${project}/alerts?section=messages`,
    settings: `${project}/settings`,
    'settings-tokens': `${project}/settings?section=access_tokens`,
    'settings-sessions': `${project}/settings?section=sessions`,
    'settings-appearance': `${project}/settings?section=appearance`,
    account: '/account',
    'installation-audit': '/account/audit_log',
  };
}
