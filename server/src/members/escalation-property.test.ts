import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AccessToken, CreatedInvitation, Me, SignedUp, Token } from '@muster/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../testing/start-test-app.ts';
import { dropTestDatabase, testEngine } from '../testing/test-database.ts';

/** Random members, roles, access tokens, project tokens and invitations, against a model of what everybody may do. */
const actions = ['create', 'read', 'update', 'delete'];
const resources = [
  ...['project', 'token', 'own_token', 'agent', 'agent_error', 'fleet', 'webhook', 'member', 'audit_log'],
  // Stands for those that do not exist yet.
  'added later',
];

type Powers = ReadonlySet<string>;

function powersOf(grants: readonly string[]): Powers {
  return new Set(
    grants.flatMap((grant) => {
      const [action = '*', resource = '*'] = grant === '*' ? [] : grant.split(':');
      return (action === '*' ? actions : [action]).flatMap((one) =>
        (resource === '*' ? resources : [resource]).map((other) => `${one} ${other}`),
      );
    }),
  );
}

const all = powersOf(['*']);
const operator = new Set(
  [...all].filter(
    (power) =>
      power.startsWith('read ') || !['project', 'member', 'added later'].includes(power.replace(/^\w+ /, '')),
  ),
);
const both = (one: Powers, other: Powers): Powers => new Set([...one].filter((power) => other.has(power)));
const isWithin = (one: Powers, other: Powers): boolean => [...one].every((power) => other.has(power));

interface Role {
  readonly body: object;
  readonly powers: Powers;
  readonly isOwner: boolean;
}

interface User {
  readonly id: string;
  readonly isAdministrator: boolean;
  /** By the index of the project. */
  readonly roles: Map<number, Role>;
}

interface Access {
  readonly id: string;
  readonly token: string;
  readonly user: User;
  readonly parent: Access | undefined;
  /** Undefined: not narrowed. */
  readonly grants: readonly string[] | undefined;
  readonly projects: readonly number[] | undefined;
  isRevoked: boolean;
}

interface ProjectToken {
  readonly id: string;
  token: string;
  readonly project: number;
  powers: Powers;
  readonly creator: User;
  /** Who got its current value. */
  holder: User;
  isRevoked: boolean;
}

interface Invitation {
  readonly code: string;
  readonly project: number;
  readonly role: Role;
  readonly sender: User;
  isOpen: boolean;
}

/** What a user may do in a project; undefined: no part in it. */
function powersOfUser(user: User, project: number): Powers | undefined {
  return user.isAdministrator ? all : user.roles.get(project)?.powers;
}

function powersOfAccess(access: Access, project: number): Powers | undefined {
  const ofUser = powersOfUser(access.user, project);
  if (ofUser === undefined || access.projects?.includes(project) === false) return undefined;
  return access.grants === undefined ? ofUser : both(ofUser, powersOf(access.grants));
}

function isNarrowed({ grants, projects }: Access): boolean {
  return grants !== undefined || projects !== undefined;
}

function descends(one: Access, from: Access): boolean {
  return one === from || (one.parent !== undefined && descends(one.parent, from));
}

const grant = fc.oneof(
  { weight: 1, arbitrary: fc.constant('*') },
  {
    weight: 10,
    arbitrary: fc
      .tuple(
        fc.constantFrom(...actions, '*'),
        fc.constantFrom('member', 'member', 'token', 'token', 'agent', 'project', '*'),
      )
      .map(([action, resource]) => `${action}:${resource}`),
  },
);
const grants = fc.uniqueArray(grant, { maxLength: 5 });
const role: fc.Arbitrary<Role> = fc.oneof(
  fc.constant({ body: { role: 'owner' }, powers: all, isOwner: true }),
  fc.constant({ body: { role: 'operator' }, powers: operator, isOwner: false }),
  fc.constant({ body: { role: 'viewer' }, powers: powersOf(['read:*']), isOwner: false }),
  grants.map((list) => ({ body: { permissions: list }, powers: powersOf(list), isOwner: false })),
);
const step = fc.record({
  kind: fc.constantFrom(
    ...['add', 'add', 'change', 'change', 'remove', 'invite', 'invite', 'accept', 'accept'],
    ...['narrow', 'narrow', 'revoke', 'issue', 'issue', 'widen', 'rotate'],
  ),
  by: fc.nat(),
  target: fc.nat(),
  project: fc.nat(),
  role,
  grants,
  chance: fc.nat({ max: 7 }),
});
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** What a power is does not depend on the engine, and a run takes several times as long on PostgreSQL. */
const runs = testEngine === 'sqlite' ? 40 : 15;

class World {
  readonly projects: string[] = [];
  readonly users: User[] = [];
  readonly accesses: Access[] = [];
  readonly tokens: ProjectToken[] = [];
  readonly invitations: Invitation[] = [];
  readonly #replicas: readonly TestApp[];
  readonly #admin: string;
  #turn = 0;

  constructor(replicas: readonly TestApp[], admin: string) {
    this.#replicas = replicas;
    this.#admin = admin;
  }

  /** Every request goes to another replica. */
  async call<Body>(access: string, method: string, url: string, body?: object) {
    const app = this.#replicas[this.#turn % this.#replicas.length];
    this.#turn += 1;
    if (app === undefined) throw new Error('no replica was started');
    return app.request<Body>(method, url, {
      ...(access === '' ? {} : { as: { access } }),
      ...(body === undefined ? {} : { body }),
    });
  }

  async begin(): Promise<void> {
    const { body: me } = await this.call<Me>(this.#admin, 'GET', '/v1/me');
    const administrator = { id: me.id, isAdministrator: true, roles: new Map() };
    this.users.push(administrator);
    const { body } = await this.call<AccessToken>(this.#admin, 'POST', '/v1/access_tokens', {
      name: 'admin',
    });
    this.#keepAccess(administrator, body, {});
    for (const name of ['one', 'other']) {
      const project = await this.call<{ id: string }>(this.#admin, 'POST', '/v1/projects', { name });
      const index = this.projects.push(project.body.id) - 1;
      for (const given of ['owner', 'operator', 'viewer'] as const) {
        const { code } = (
          await this.call<CreatedInvitation>(
            this.#admin,
            'POST',
            `/v1/projects/${project.body.id}/invitations`,
            { role: given },
          )
        ).body;
        const { body: made } = await this.call<SignedUp>('', 'POST', '/v1/invitations/sign_up', {
          code,
          name: given,
        });
        const powers = { owner: all, operator, viewer: powersOf(['read:*']) }[given];
        const ofProject = { body: { role: given }, powers, isOwner: given === 'owner' };
        const user = { id: made.userID, isAdministrator: false, roles: new Map([[index, ofProject]]) };
        this.users.push(user);
        const tokens = await this.call<AccessToken[]>(made.token, 'GET', '/v1/access_tokens');
        this.#keepAccess(user, { id: tokens.body[0]?.id ?? '', token: made.token }, {});
      }
    }
  }

  #keepAccess(
    user: User,
    { id, token }: { readonly id: string; readonly token: string },
    { parent, grants: limit, projects }: Partial<Pick<Access, 'parent' | 'grants' | 'projects'>>,
  ): void {
    this.accesses.push({ id, token, user, parent, grants: limit, projects, isRevoked: false });
  }

  /** Takes a step, and compares the answer with the model. Returns what happened. */
  async take(one: Step): Promise<string> {
    const by = pick(this.accesses, one.by);
    const project = one.project % this.projects.length;
    const held = by.isRevoked ? undefined : powersOfAccess(by, project);
    const outcome = await this.#act(one, by, project, held);
    if (by.isRevoked) {
      expect(outcome.status, one.kind).toBe(401);
    } else {
      expect(outcome.status < 300, `${one.kind} ${outcome.status} ${outcome.text}`).toBe(outcome.isAllowed);
      if (outcome.isAllowed) outcome.apply?.();
    }
    return `${one.kind} ${outcome.status}`;
  }

  async #act(one: Step, by: Access, project: number, held: Powers | undefined): Promise<Outcome> {
    const url = `/v1/projects/${this.projects[project]}`;
    const user = pick(this.users, one.target);
    const may = (power: string) => held?.has(power) === true;
    const mayGive = (powers: Powers) => held !== undefined && isWithin(powers, held);
    const member = user.roles.get(project);
    switch (one.kind) {
      case 'add': {
        const answer = await this.call(by.token, 'POST', `${url}/members`, {
          userID: user.id,
          ...one.role.body,
        });
        return {
          ...answer,
          isAllowed: may('create member') && mayGive(one.role.powers) && member === undefined,
          apply: () => user.roles.set(project, one.role),
        };
      }
      case 'change':
      case 'remove': {
        const isRemoval = one.kind === 'remove';
        const revokes = one.chance === 0;
        const answer = await this.call(
          by.token,
          isRemoval ? 'DELETE' : 'PATCH',
          `${url}/members/${user.id}${isRemoval && revokes ? '?revoke_tokens=true' : ''}`,
          isRemoval ? undefined : one.role.body,
        );
        const endsOwner = member?.isOwner === true && (isRemoval || !one.role.isOwner);
        const hasOther = this.users.some((other) => other !== user && other.roles.get(project)?.isOwner);
        const isExempt = by.user.isAdministrator && by.projects === undefined;
        return {
          ...answer,
          isAllowed:
            may(isRemoval ? 'delete member' : 'update member') &&
            member !== undefined &&
            mayGive(member.powers) &&
            (isRemoval || mayGive(one.role.powers)) &&
            (!isRemoval || !revokes || may('delete token')) &&
            (!endsOwner || hasOther || isExempt),
          apply: () => {
            if (isRemoval) user.roles.delete(project);
            else user.roles.set(project, one.role);
            for (const sent of this.invitations)
              if (sent.sender === user && sent.project === project) sent.isOpen = false;
            if (!isRemoval || !revokes) return;
            for (const made of this.tokens)
              if ([made.creator, made.holder].includes(user) && made.project === project)
                made.isRevoked = true;
          },
        };
      }
      case 'invite': {
        const answer = await this.call<CreatedInvitation>(
          by.token,
          'POST',
          `${url}/invitations`,
          one.role.body,
        );
        return {
          ...answer,
          isAllowed: may('create member') && mayGive(one.role.powers),
          apply: () =>
            this.invitations.push({
              code: answer.body.code,
              project,
              role: one.role,
              sender: by.user,
              isOpen: true,
            }),
        };
      }
      case 'accept': {
        const sent = this.invitations.length === 0 ? undefined : pick(this.invitations, one.target);
        const answer = await this.call(by.token, 'POST', '/v1/invitations/accept', {
          code: sent?.code ?? 'x',
        });
        const ofSender = sent === undefined ? undefined : powersOfUser(sent.sender, sent.project);
        return {
          ...answer,
          isAllowed:
            sent?.isOpen === true &&
            ofSender?.has('create member') === true &&
            isWithin(sent.role.powers, ofSender) &&
            !by.user.roles.has(sent.project),
          apply: () => {
            if (sent === undefined) return;
            sent.isOpen = false;
            by.user.roles.set(sent.project, sent.role);
          },
        };
      }
      case 'narrow':
        return this.#narrow(one, by, project, held);
      case 'revoke': {
        const target = pick(this.accesses, one.target);
        const answer = await this.call(by.token, 'DELETE', `/v1/access_tokens/${target.id}`);
        return {
          ...answer,
          isAllowed: target.user === by.user && (!isNarrowed(by) || descends(target, by)),
          apply: () => {
            for (const access of this.accesses) if (descends(access, target)) access.isRevoked = true;
          },
        };
      }
      case 'issue': {
        const answer = await this.call<Token>(by.token, 'POST', `${url}/tokens`, {
          name: 'x',
          permissions: one.grants,
        });
        const powers = powersOf(one.grants);
        return {
          ...answer,
          isAllowed: may('create token') && mayGive(powers),
          apply: () =>
            this.tokens.push({
              ...answer.body,
              ...{ project, powers, creator: by.user, holder: by.user, isRevoked: false },
            }),
        };
      }
      case 'widen':
      case 'rotate':
        return this.#changeToken(one, by);
    }
    throw new Error(`there is no step ${one.kind}`);
  }

  async #narrow(one: Step, by: Access, project: number, held: Powers | undefined): Promise<Outcome> {
    const limit = one.chance < 5 ? one.grants : undefined;
    const projects = one.chance % 2 === 0 ? [project] : undefined;
    const answer = await this.call<AccessToken>(by.token, 'POST', '/v1/access_tokens', {
      name: 'narrowed',
      ...(limit === undefined ? {} : { permissions: limit }),
      ...(projects === undefined ? {} : { projects: projects.map((index) => this.projects[index]) }),
    });
    const isNarrower =
      limit === undefined || by.grants === undefined || isWithin(powersOf(limit), powersOf(by.grants));
    return {
      ...answer,
      isAllowed: isNarrower && (projects === undefined || held !== undefined),
      apply: () =>
        this.#keepAccess(by.user, answer.body, {
          parent: by,
          grants: limit ?? by.grants,
          projects: projects ?? by.projects,
        }),
    };
  }

  async #changeToken(one: Step, by: Access): Promise<Outcome> {
    const token = this.tokens.length === 0 ? undefined : pick(this.tokens, one.target);
    const url = `/v1/project_tokens/${token?.id ?? this.projects[0]}`;
    const held = token === undefined || by.isRevoked ? undefined : powersOfAccess(by, token.project);
    const isChange = token !== undefined && !token.isRevoked && held?.has('update token') === true;
    if (one.kind === 'rotate') {
      const answer = await this.call<Token>(by.token, 'POST', `${url}/rotate`, {});
      return {
        ...answer,
        // Whoever rotates a token gets its value.
        isAllowed: isChange && isWithin(token.powers, held),
        apply: () => {
          if (token === undefined) return;
          token.token = answer.body.token;
          token.holder = by.user;
        },
      };
    }
    const answer = await this.call<Token>(by.token, 'PATCH', url, { permissions: one.grants });
    const before = token?.powers ?? new Set();
    // Grant by grant: one that the token does not have wholly is granted as a whole.
    const added = powersOf(one.grants.filter((wanted) => !isWithin(powersOf([wanted]), before)));
    return {
      ...answer,
      isAllowed: isChange && isWithin(added, held),
      apply: () => {
        if (token !== undefined) token.powers = powersOf(one.grants);
      },
    };
  }

  /** Compares what one credential of each kind may do now with the model. */
  async check(index: number): Promise<void> {
    const access = pick(this.accesses, index);
    const { status, body } = await this.call<Me>(access.token, 'GET', '/v1/me');
    expect(status).toBe(access.isRevoked ? 401 : 200);
    if (status === 200) {
      for (const [project, id] of this.projects.entries()) {
        const shown = body.projects?.find((one) => one.id === id)?.permissions;
        const everywhere = body.permissions.length === 0 ? undefined : body.permissions;
        const found = shown ?? everywhere;
        const expected = powersOfAccess(access, project);
        expect(found === undefined ? undefined : powersOf(found)).toEqual(
          expected !== undefined && expected.size === 0 && found === undefined ? undefined : expected,
        );
      }
    }
    if (this.tokens.length === 0) return;
    const token = pick(this.tokens, index);
    const app = pick(this.#replicas, index);
    const own = await app.request<Me>('GET', '/v1/me', { as: { project: token.token } });
    expect(own.status).toBe(token.isRevoked ? 401 : 200);
    if (own.status === 200) expect(powersOf(own.body.permissions)).toEqual(token.powers);
  }
}

interface Outcome {
  readonly status: number;
  readonly text: string;
  readonly isAllowed: boolean;
  readonly apply?: () => unknown;
}

function pick<Item>(list: readonly Item[], index: number): Item {
  const found = list[index % list.length];
  if (found === undefined) throw new Error('nothing to pick from');
  return found;
}

describe('members, their tokens and their invitations', () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'muster-test-'));
  const replicas: TestApp[] = [];
  let admin: string;

  beforeAll(async () => {
    // SQLite supports one process.
    for (let count = testEngine === 'postgres' ? 2 : 1; count > 0; count -= 1) {
      const replica = await startTestApp({ dataDirectory, logLevel: 'info' });
      replicas.push(replica);
      // Only the administrator's token of the last start is valid.
      admin = replica.admin;
    }
  });

  afterAll(async () => {
    for (const replica of replicas) await replica.close();
    await dropTestDatabase(dataDirectory);
    rmSync(dataDirectory, { recursive: true });
  });

  it('never do more than the model says, and never less, on every replica at once', async () => {
    const outcomes = new Map<string, number>();
    const property = fc.asyncProperty(fc.array(step, { minLength: 60, maxLength: 100 }), async (steps) => {
      const world = new World(replicas, admin);
      await world.begin();
      for (const one of steps) {
        const outcome = await world.take(one);
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        await world.check(one.by + one.target);
      }
    });
    await fc.assert(property, { numRuns: runs });
    if (testEngine !== 'sqlite') return;
    // All of these cases occurred.
    for (const outcome of [
      ...['add 201', 'add 403', 'change 200', 'change 403', 'change 409', 'remove 200', 'remove 403'],
      ...['invite 201', 'invite 403', 'accept 200', 'accept 410', 'narrow 201', 'narrow 403'],
      ...['revoke 204', 'revoke 404', 'issue 201', 'issue 403', 'widen 200', 'widen 403'],
      ...['rotate 200', 'rotate 403', 'add 401', 'add 404'],
    ]) {
      expect(outcomes.get(outcome) ?? 0, outcome).toBeGreaterThan(0);
    }
  });
});
