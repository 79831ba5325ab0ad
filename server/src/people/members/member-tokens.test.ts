import type { Token } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addUser } from '../../testing/stages/people-targets.ts';
import { startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';

let app: TestApp;
let project: TestProject;

beforeAll(async () => {
  app = await startTestApp();
  project = await app.createProject('edge');
});

afterAll(() => app.close());

interface Person {
  readonly userID: string;
  readonly token: string;
}

function call<Body>(access: string, method: string, url: string, body?: object) {
  return app.request<Body>(method, url, { as: { access }, ...(body === undefined ? {} : { body }) });
}

const membersUrl = (projectID = project.id) => `/v1/projects/${projectID}/members`;

async function join(role: object): Promise<Person> {
  const person = await addUser(app);
  const { status } = await call(app.admin, 'POST', membersUrl(), { userID: person.userID, ...role });
  expect(status).toBe(201);
  return person;
}

describe('members who are removed', () => {
  it('leave their project tokens behind, unless their revocation is asked for', async () => {
    const make = async () => {
      const member = await join({ role: 'operator' });
      const { body } = await call<Token>(member.token, 'POST', `/v1/projects/${project.id}/tokens`, {
        name: 'fleet',
        permissions: ['read:project', 'create:token'],
      });
      const child = await app.request<Token>('POST', `/v1/projects/${project.id}/tokens`, {
        as: { project: body.token },
        body: { name: 'child', permissions: ['read:project'] },
      });
      return { member, tokens: [body.token, child.body.token] };
    };
    const statuses = (tokens: readonly string[]) =>
      Promise.all(
        tokens.map(
          async (token) =>
            (await app.request('GET', `/v1/projects/${project.id}`, { as: { project: token } })).status,
        ),
      );
    const [kept, ended] = [await make(), await make()];
    expect(await statuses([...kept.tokens, ...ended.tokens])).toEqual([200, 200, 200, 200]);
    await call(app.admin, 'DELETE', `${membersUrl()}/${kept.member.userID}`);
    const { body } = await call(
      app.admin,
      'DELETE',
      `${membersUrl()}/${ended.member.userID}?revoke_tokens=true`,
    );
    expect(body).toEqual({ keptTokensCount: 0, revokedTokensCount: 2 });
    expect(await statuses([...kept.tokens, ...ended.tokens])).toEqual([200, 200, 401, 401]);
  });

  describe('and the tokens that they have rotated', () => {
    const rotate = async (as: object, id: string, body: object = {}) => {
      const url = `/v1/project_tokens/${id}/rotate`;
      return (await app.request<Token>('POST', url, { as, body })).body.token;
    };
    const remove = async ({ userID }: Person, query = '?revoke_tokens=true') =>
      (await call(app.admin, 'DELETE', `${membersUrl()}/${userID}${query}`)).body;
    const statusesOf = async (...tokens: readonly string[]) => {
      const statuses: number[] = [];
      for (const token of tokens) {
        statuses.push(
          (await app.request('GET', `/v1/projects/${project.id}`, { as: { project: token } })).status,
        );
      }
      return statuses;
    };
    const week = { graceSeconds: 604_800 };

    it('are revoked with them, until somebody else rotates them: then only the values that they know end', async () => {
      const [first, second] = [await join({ role: 'operator' }), await join({ role: 'operator' })];
      const { id, token: original } = await app.createToken(project.id, ['read:project']);
      const ofFirst = await rotate({ access: first.token }, id, week);
      const ofSecond = await rotate({ access: second.token }, id, week);
      expect(await statusesOf(original, ofFirst, ofSecond)).toEqual([200, 200, 200]);
      expect(await remove(first)).toEqual({ keptTokensCount: 0, revokedTokensCount: 1 });
      expect(await statusesOf(original, ofFirst, ofSecond)).toEqual([200, 401, 200]);
      expect(await remove(second)).toEqual({ keptTokensCount: 0, revokedTokensCount: 1 });
      expect(await statusesOf(original, ofFirst, ofSecond)).toEqual([401, 401, 401]);
    });

    it('are kept and counted by default, also if they know only an earlier value', async () => {
      const [first, second] = [await join({ role: 'operator' }), await join({ role: 'operator' })];
      const { id } = await app.createToken(project.id, ['read:project']);
      const ofFirst = await rotate({ access: first.token }, id, { retireOnUse: true });
      await rotate({ access: second.token }, id, { retireOnUse: true });
      expect(await remove(first, '')).toEqual({ keptTokensCount: 1, revokedTokensCount: 0 });
      expect(await statusesOf(ofFirst)).toEqual([200]);
    });

    it('are still known to them if a token that rotates itself has used their value', async () => {
      const [member, other] = [await join({ role: 'operator' }), await join({ role: 'operator' })];
      const permissions = ['read:project', 'update:own_token'];
      const [one, two] = [
        await app.createToken(project.id, permissions),
        await app.createToken(project.id, permissions),
      ];
      const known = await rotate({ access: member.token }, one.id);
      const own = await rotate({ project: known }, 'self');
      // Here the value with which the token rotates itself is an earlier one, and the current one is of somebody else.
      const earlier = await rotate({ access: member.token }, two.id);
      const current = await rotate({ access: other.token }, two.id, { retireOnUse: true });
      const later = await rotate({ project: earlier }, 'self', week);
      expect(await statusesOf(own, current, later)).toEqual([200, 200, 200]);
      expect(await remove(member)).toEqual({ keptTokensCount: 0, revokedTokensCount: 2 });
      expect(await statusesOf(own, current, later)).toEqual([401, 401, 401]);
    });

    it('are left alone if a token has rotated itself with a value that they do not know', async () => {
      const [member, other] = [await join({ role: 'operator' }), await join({ role: 'operator' })];
      const { id } = await app.createToken(project.id, ['read:project', 'update:own_token']);
      await rotate({ access: member.token }, id);
      const ofOther = await rotate({ access: other.token }, id);
      const own = await rotate({ project: ofOther }, 'self');
      expect(await remove(member)).toEqual({ keptTokensCount: 0, revokedTokensCount: 0 });
      expect(await statusesOf(own)).toEqual([200]);
    });
  });

  it('keep their tokens of other projects when those of one are revoked', async () => {
    const other = await app.createProject('elsewhere');
    const { userID, token } = await join({ role: 'operator' });
    await call(app.admin, 'POST', membersUrl(other.id), { userID, role: 'operator' });
    const { body: kept } = await call<Token>(token, 'POST', `/v1/projects/${other.id}/tokens`, {
      name: 'fleet',
      permissions: ['read:project'],
    });
    const removed = await call(app.admin, 'DELETE', `${membersUrl()}/${userID}?revoke_tokens=true`);
    expect(removed.body).toEqual({ keptTokensCount: 0, revokedTokensCount: 0 });
    const { status } = await app.request('GET', `/v1/projects/${other.id}`, { as: { project: kept.token } });
    expect(status).toBe(200);
  });
});
