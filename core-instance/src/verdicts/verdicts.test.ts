import { hash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatProjectToken, formatToken, type Route, routes, type SiteCredentials } from '@muster/contract';
import { Refusal } from '@muster/http/refusal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SiteAgents } from '../state/site-agents.ts';
import { CredentialList } from './credential-list.ts';
import { Verdicts } from './verdicts.ts';

type Item = SiteCredentials['items'][number];

const projectID = '0192f0a0-0000-7000-8000-000000000001';
const tokenID = '0192f0a0-0000-7000-8000-0000000000aa';
const agentID = '0192f0a0-0000-7000-8000-0000000000bb';
const projectToken = formatProjectToken({ projectID, tokenID }, Buffer.alloc(32, 1));
const agentToken = formatToken('agent', Buffer.alloc(32, 2));
const madeHere = formatToken('agent', Buffer.alloc(32, 3));

const ofProject: Item = {
  kind: 'project',
  digest: hash('sha256', projectToken),
  id: tokenID,
  permissions: ['create:agent', 'create:agent_error'],
  networks: [],
  rates: [],
  expiresAt: null,
  revoked: false,
  deleted: false,
};
const ofAgent: Item = {
  ...ofProject,
  kind: 'agent',
  digest: hash('sha256', agentToken),
  id: agentID,
  permissions: ['create:agent_error', 'update:agent'],
};

const ofMadeHere: Item = { ...ofAgent, digest: hash('sha256', madeHere) };

const limits = {
  newErrorsPerAgentPerMinute: 120,
  newErrorsPerProjectPerSecond: 0,
  invalidCredentialsPerAddressPerMinute: 30,
  registration: 'open',
} as const;

let folder: string;
let agents: SiteAgents;
let list: CredentialList;
let now: number;
let asked: number;
let answerOfCentre: () => boolean;
let verdicts: Verdicts;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'muster-verdicts-'));
  agents = await SiteAgents.open(folder);
  await agents.register('made-here', 'm-1', hash('sha256', madeHere));
  list = await CredentialList.open(folder, agents);
  now = 1_000;
  asked = 0;
  answerOfCentre = () => true;
  verdicts = new Verdicts({
    list,
    agents,
    limits: { judgeAttempt: (failure) => failure },
    clock: () => now,
    monotonic: () => now,
    refresh: async () => {
      asked += 1;
      return answerOfCentre();
    },
  });
});
afterEach(() => rmSync(folder, { recursive: true }));

function give(items: readonly Item[], fields: Partial<SiteCredentials> = {}): void {
  list.apply({ cursor: 'cursor', limits, reset: false, more: false, items: [...items], ...fields });
}

async function judge(token: string, route: Route = routes.createAgentError, address = '192.0.2.1') {
  const header = token.includes('mst_a_') ? 'x-agent-token' : 'x-project-token';
  try {
    return await verdicts.judge(route, { [header]: token }, address);
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
}

describe('a credential at a site', () => {
  it('is known by its digest, without asking', async () => {
    give([ofProject, ofAgent]);
    expect(await judge(projectToken)).toEqual({ kind: 'project', tokenID, rates: [] });
    expect(await judge(agentToken)).toEqual({ kind: 'agent', agentID });
    expect(await judge(madeHere)).toEqual({ kind: 'agent', agentID: 'made-here' });
    expect(asked).toBe(0);
  });

  it.each<[string, Partial<Item>, unknown]>([
    ['revoked', { revoked: true }, 'revoked_credential'],
    ['gone', { id: null, revoked: true }, 'revoked_credential'],
    ['of a deleted agent', { revoked: true, deleted: true }, { kind: 'project', tokenID, rates: [] }],
    ['expired', { expiresAt: 1_000 }, 'expired_credential'],
    ['not expired yet', { expiresAt: 1_001 }, { kind: 'project', tokenID, rates: [] }],
    ['from a network that is not allowed', { networks: [['198.51.100.0/24']] }, 'network_not_allowed'],
    [
      'from a network that is not in both lists',
      { networks: [['192.0.2.0/24'], ['10.0.0.0/8']] },
      'network_not_allowed',
    ],
    ['from an allowed network', { networks: [['192.0.2.0/24']] }, { kind: 'project', tokenID, rates: [] }],
    ['without the permission', { permissions: ['create:agent'] }, 'permission_denied'],
    ['with a wildcard', { permissions: ['create:*'] }, { kind: 'project', tokenID, rates: [] }],
    ['with grants of a newer centre', { permissions: ['report:everything'] }, 'permission_denied'],
    ['of the other kind', { kind: 'agent' }, 'invalid_credential'],
  ])('that is %s', async (_, fields, verdict) => {
    give([{ ...ofProject, ...fields }]);
    expect(await judge(projectToken)).toEqual(verdict);
  });

  it('needs each permission of a route', async () => {
    give([{ ...ofProject, permissions: ['create:agent_error'] }]);
    expect(await judge(projectToken, routes.createMachineError)).toBe('permission_denied');
    expect(await judge(projectToken)).toEqual({ kind: 'project', tokenID, rates: [] });
  });

  it('that was made here ends when the centre says so', async () => {
    give([{ ...ofMadeHere, revoked: true }]);
    expect(await judge(madeHere)).toBe('revoked_credential');
  });

  it.each<[string, () => void]>([
    ['was told', () => give([{ ...ofMadeHere, id: null, revoked: true }])],
    [
      'was told before the list began anew',
      () => {
        give([{ ...ofMadeHere, id: null, revoked: true }]);
        give([ofProject], { reset: true, more: true });
        give([]);
      },
    ],
    [
      'was never told, because the list began anew',
      () => {
        give([ofProject], { reset: true, more: true });
        give([]);
      },
    ],
  ])('that was made here and ended stays ended: its end %s', async (_, end) => {
    give([ofMadeHere]);
    await list.write();
    expect(await judge(madeHere)).toEqual({ kind: 'agent', agentID });
    end();
    expect(await judge(madeHere)).toBe('revoked_credential');
    await list.write();
    // Two lists later, no list has it any more.
    give([ofProject], { reset: true, more: true });
    give([]);
    await list.write();
    expect(await judge(madeHere)).toBe('invalid_credential');
    const again = await SiteAgents.open(folder);
    expect(again.agentOfToken(ofMadeHere.digest)).toBeUndefined();
    expect(again.agentOfMachine('m-1')).toBe('made-here');
  });

  it('that was made here is good until a list has had it, because its registration may still wait', async () => {
    give([ofProject], { reset: true, more: true });
    give([]);
    await list.write();
    expect(await judge(madeHere)).toEqual({ kind: 'agent', agentID: 'made-here' });
  });

  it('that is mistyped, masked, missing or of another kind is refused without asking', async () => {
    expect(await judge(`${projectToken.slice(0, -1)}!`)).toBe('invalid_credential');
    expect(await judge('mst_a_…abcd')).toBe('masked_credential');
    expect(await judge(agentToken, routes.registerAgent)).toBe('credential_kind_not_accepted');
    expect(() => verdicts.judge(routes.createAgentError, {}, undefined)).toThrow('missing_credential');
    expect(asked).toBe(0);
  });

  it('that is not known is asked for once, and then refused for a while', async () => {
    give([]);
    expect(await judge(projectToken)).toBe('invalid_credential');
    expect(await judge(projectToken)).toBe('invalid_credential');
    expect(asked).toBe(1);
    now += 30_000;
    answerOfCentre = () => {
      give([ofProject]);
      return true;
    };
    expect(await judge(projectToken)).toEqual({ kind: 'project', tokenID, rates: [] });
  });

  it('that is not known is neither accepted nor refused while the centre is away', async () => {
    answerOfCentre = () => false;
    expect(await judge(projectToken)).toBe('overloaded');
    give([]);
    expect(await judge(projectToken)).toBe('overloaded');
    answerOfCentre = () => true;
    expect(await judge(projectToken)).toBe('invalid_credential');
  });
});

describe('the list of credentials', () => {
  it('is there again after a restart', async () => {
    give([ofProject], { cursor: 'here' });
    await list.write();
    const again = await CredentialList.open(folder, agents);
    expect(again.cursor).toBe('here');
    expect(again.find(ofProject.digest)).toEqual(list.find(ofProject.digest));
  });

  it('is known when the first one is whole', () => {
    give([ofProject], { reset: true, more: true });
    expect(list.isKnown).toBe(false);
    give([]);
    expect(list.isKnown).toBe(true);
    give([ofProject], { reset: true, more: true });
    expect(list.isKnown).toBe(true);
  });

  it('keeps the tokens of deleted agents, which a new one does not have', async () => {
    give([ofProject, { ...ofAgent, revoked: true, deleted: true }]);
    give([ofProject], { reset: true, more: true });
    give([]);
    await list.write();
    const again = await CredentialList.open(folder, agents);
    for (const one of [list, again]) {
      expect(one.find(ofAgent.digest)).toMatchObject({ kind: 'agent', id: agentID, isRevoked: false });
      expect(one.isDeletedAgent(agentID)).toBe(true);
    }
    // The centre was restored from a backup.
    give([ofAgent], { reset: true });
    expect(list.isDeletedAgent(agentID)).toBe(false);
  });

  it('counts until a new one is whole', () => {
    give([ofProject]);
    give([ofAgent], { reset: true, more: true });
    expect(list.find(ofProject.digest)).toBeDefined();
    expect(list.find(ofAgent.digest)).toBeUndefined();
    give([], { more: false });
    expect(list.find(ofProject.digest)).toBeUndefined();
    expect(list.find(ofAgent.digest)).toBeDefined();
  });
});
