import { randomBytes } from 'node:crypto';
import { type CredentialKind, formatProjectToken, formatToken } from '@muster/contract';
import { refuseCredentialInQuery } from '@muster/http/credentials/presented-credentials';
import { describe, expect, it } from 'vitest';
import type { Principal } from '../../credentials/principal.ts';
import { Refusal } from '../../refusal.ts';
import { authenticate, type CredentialKeepers, recall } from './authenticate.ts';

const id = '0192f0a0-0000-7000-8000-000000000000';
const accessToken = formatToken('access', randomBytes(32));
const agentToken = formatToken('agent', randomBytes(32));
const siteToken = formatToken('core_instance', randomBytes(32));
const projectToken = formatProjectToken({ projectID: id, tokenID: id }, randomBytes(32));

type Headers = Parameters<typeof authenticate>[2];

/** Keepers that accept everything. The name of the principal contains the checked kind and value. */
const keepers: CredentialKeepers = {
  access: keeper('access'),
  project: keeper('project'),
  agent: keeper('agent'),
  core_instance: keeper('core_instance'),
  session: { ...keeper('session'), cookieName: 'muster_session', noteUse: () => undefined },
};

function keeper(kind: CredentialKind | 'session'): CredentialKeepers['access'] {
  return {
    authenticate: (value) => principal(`${kind} ${value}`),
    recallRefusal: () => undefined,
    recall: (value) => (value.includes('unknown') ? undefined : principal(`remembered ${kind} ${value}`)),
  };
}

function principal(name: string): Principal {
  return {
    kind: 'access',
    userID: id,
    name,
    accessTokenID: undefined,
    isProvided: false,
    access: { installation: [], everyProject: [], projects: new Map() },
    isNarrowed: false,
    needs: undefined,
    expiresAt: null,
  };
}

/** Agents have none here. */
function nameOf(principal: Principal): string {
  return principal.kind === 'agent' ? '' : principal.name;
}

async function checkedBy(kinds: readonly CredentialKind[], headers: Headers): Promise<string> {
  return nameOf(await authenticate(keepers, kinds, headers));
}

function refusalOf(act: () => unknown): { code: string; detail: string } {
  try {
    act();
  } catch (error) {
    if (error instanceof Refusal) return { code: error.code, detail: error.detail };
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('authenticate', () => {
  it('reads each kind from its own header', async () => {
    const all = ['access', 'project', 'agent'] as const;
    expect(await checkedBy(all, { authorization: `Bearer ${accessToken}` })).toBe(`access ${accessToken}`);
    expect(await checkedBy(all, { 'x-project-token': projectToken })).toBe(`project ${projectToken}`);
    expect(await checkedBy(all, { 'x-agent-token': agentToken })).toBe(`agent ${agentToken}`);
  });

  it('reads the token of a core instance from its header, its older header, and as Bearer', async () => {
    const kinds = ['core_instance', 'project', 'access'] as const;
    for (const headers of [
      { 'x-core-instance-token': siteToken },
      { 'x-aggregator-token': siteToken },
      { authorization: `Bearer ${siteToken}` },
    ]) {
      expect(await checkedBy(kinds, headers)).toBe(`core_instance ${siteToken}`);
    }
  });

  it('accepts a project token as Bearer', async () => {
    expect(await checkedBy(['access', 'project'], { authorization: `Bearer ${projectToken}` })).toBe(
      `project ${projectToken}`,
    );
  });

  it.each(['bearer', 'BEARER', 'Bearer  '])(
    'accepts the scheme in any case and with any spaces: %j',
    async (scheme) => {
      expect(await checkedBy(['access'], { authorization: `${scheme} ${accessToken} ` })).toBe(
        `access ${accessToken}`,
      );
    },
  );

  it.each([
    [['access', 'project', 'agent'], 'access'],
    [['project', 'agent', 'access'], 'project'],
    [['agent', 'access'], 'agent'],
    [['project'], 'project'],
  ] as const)('uses the first kind of %j if all three are sent', async (kinds, decided) => {
    const name = await checkedBy(kinds, {
      authorization: `Bearer ${accessToken}`,
      'x-project-token': projectToken,
      'x-agent-token': agentToken,
    });
    expect(name.split(' ')[0]).toBe(decided);
  });

  it('prefers X-Project-Token to a project token as Bearer', async () => {
    const other = formatProjectToken({ projectID: id, tokenID: id }, randomBytes(32));
    const headers = { authorization: `Bearer ${other}`, 'x-project-token': projectToken };
    expect(await checkedBy(['project'], headers)).toBe(`project ${projectToken}`);
  });

  it('never tries another credential after one is refused', () => {
    const strict: CredentialKeepers = {
      ...keepers,
      project: {
        ...keepers.project,
        authenticate() {
          throw new Refusal('invalid_credential');
        },
      },
    };
    const headers = { 'x-project-token': 'nonsense', authorization: `Bearer ${accessToken}` };
    expect(refusalOf(() => authenticate(strict, ['project', 'access'], headers)).code).toBe(
      'invalid_credential',
    );
  });

  it('returns synchronously if the check does', () => {
    const found = authenticate(keepers, ['access'], { authorization: `Bearer ${accessToken}` });
    expect(found).not.toBeInstanceOf(Promise);
  });

  it.each([
    ['nothing', {}],
    ['an empty header', { 'x-project-token': '' }],
    ['a scheme without a token', { authorization: 'Bearer' }],
    ['a scheme with spaces alone', { authorization: 'Bearer   ' }],
    ['two tokens after one scheme', { authorization: `Bearer ${accessToken} ${accessToken}` }],
    ['another scheme', { authorization: 'Basic dXNlcjpwYXNz' }],
    ['a token without a scheme', { authorization: accessToken }],
    ['the same header twice', { 'x-project-token': [projectToken, projectToken] }],
  ])('treats %s as a missing credential, and names the accepted kinds', (_, headers) => {
    expect(refusalOf(() => authenticate(keepers, ['access', 'project'], headers))).toEqual({
      code: 'missing_credential',
      detail: 'Send a credential as Authorization: Bearer or X-Project-Token.',
    });
  });

  it('refuses a kind that is not listed, and names the accepted kinds', () => {
    const headers = { 'x-agent-token': agentToken, authorization: `Bearer ${accessToken}` };
    expect(refusalOf(() => authenticate(keepers, ['project'], headers))).toEqual({
      code: 'credential_kind_not_accepted',
      detail: 'This route takes X-Project-Token.',
    });
  });

  it.each([
    ['access', { authorization: 'Bearer mst_u_…wXyZ' }],
    ['access', { authorization: 'Bearer mst_u_...wXyZ' }],
    ['project', { 'x-project-token': 'mst_p_…wXyZ' }],
    ['project', { authorization: 'Bearer mst_p_…wXyZ' }],
    ['agent', { 'x-agent-token': 'mst_a_…wXyZ' }],
    // How Node decodes UTF-8 bytes in a header.
    ['project', { 'x-project-token': Buffer.from('mst_p_…wXyZ').toString('latin1') }],
  ] as const)('distinguishes a masked %s token from an invalid one: %j', (kind, headers) => {
    expect(refusalOf(() => authenticate(keepers, [kind], headers)).code).toBe('masked_credential');
  });
});

describe('refuseCredentialInQuery', () => {
  it.each([
    'token',
    'access_token',
    'project_token',
    'agent_token',
    'api_key',
    'apikey',
    'Token',
    'ACCESS_TOKEN',
  ])('refuses the parameter %s with any value', (name) => {
    expect(refusalOf(() => refuseCredentialInQuery({ [name]: 'x' }))).toEqual({
      code: 'credential_in_query',
      detail: `The query parameter '${name}' carries a credential. Send it in a header instead (Authorization: Bearer, X-Project-Token, X-Agent-Token, X-Core-Instance-Token) and revoke this one: URLs end up in logs and histories.`,
    });
  });

  it.each([
    ['access', accessToken],
    ['project', projectToken],
    ['agent', agentToken],
  ])(
    'refuses a complete %s token as the value or the name of any parameter, and does not repeat it',
    (_, token) => {
      for (const query of [
        { name: token },
        { name: ['x', token] },
        { name: `Bearer ${token}` },
        { [token]: '' },
      ]) {
        const { code, detail } = refusalOf(() => refuseCredentialInQuery(query));
        expect(code).toBe('credential_in_query');
        expect(detail).not.toContain(token);
      }
    },
  );

  it('accepts other parameters', () => {
    refuseCredentialInQuery({ name: 'mst_u_', last: '10', before: 'AAAA', status: 'all', tokens: 'x' });
    refuseCredentialInQuery({ name: accessToken.slice(0, -1) });
    refuseCredentialInQuery({});
  });
});

describe('recall', () => {
  it('calls only the keeper of the first listed kind', () => {
    const headers = { 'x-project-token': 'unknown', 'x-agent-token': agentToken };
    expect(recall(keepers, ['project', 'agent'], headers)).toBeUndefined();
    const recalled = recall(keepers, ['agent', 'project'], headers);
    expect(recalled && nameOf(recalled)).toBe(`remembered agent ${agentToken}`);
  });

  it('returns nothing if no listed kind is presented', () => {
    expect(recall(keepers, ['project'], { 'x-agent-token': agentToken })).toBeUndefined();
  });
});
