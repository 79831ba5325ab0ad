import type { AccessToken, CreatedInvitation, Me, SignedUp, SignInLink, Token } from '@muster/contract';
import { expect } from 'vitest';
import { eventually } from '../eventually.ts';
import { TestBrowser } from '../receivers/test-browser.ts';
import type { TestApp } from '../start-test-app.ts';
import type { TestClock } from '../test-clock.ts';
import {
  type Access,
  all,
  descends,
  type Invitation,
  isNarrowed,
  isWithin,
  operator,
  type Powers,
  type ProjectToken,
  powersOf,
  powersOfAccess,
  powersOfUser,
  type Step,
  type User,
} from './escalation-model.ts';

const never = Number.POSITIVE_INFINITY;
const graceSeconds = 600;
/** What reports of leaks cost of the limit of their address. */
const reportMilliseconds = 2_000;

/** The service, used by random members with random credentials, and compared with the model after every step. */
export class EscalationWorld {
  readonly projects: string[] = [];
  readonly users: User[] = [];
  readonly accesses: Access[] = [];
  readonly tokens: ProjectToken[] = [];
  readonly invitations: Invitation[] = [];
  readonly #replicas: readonly TestApp[];
  readonly #admin: string;
  readonly #clock: TestClock;
  #turn = 0;

  constructor(replicas: readonly TestApp[], admin: string, clock: TestClock) {
    this.#replicas = replicas;
    this.#admin = admin;
    this.#clock = clock;
  }

  /** Every request goes to another replica. */
  async call<Body>(access: string, method: string, url: string, body?: object) {
    const app = this.#nextReplica();
    if (access.startsWith('mst_s_')) {
      const browser = new TestBrowser(app);
      browser.cookies.set('muster_session', access);
      return browser.call<Body>(method, url, body === undefined ? {} : { body });
    }
    return app.request<Body>(method, url, {
      ...(access === '' ? {} : { as: { access } }),
      ...(body === undefined ? {} : { body }),
    });
  }

  #nextReplica(): TestApp {
    this.#turn += 1;
    return pick(this.#replicas, this.#turn);
  }

  #hasEnded({ isRevoked, endsAt }: Access): boolean {
    return isRevoked || endsAt <= this.#clock.now();
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
    { id, token: secret }: { readonly id: string; readonly token: string },
    { parent, grants: limit, projects }: Partial<Pick<Access, 'parent' | 'grants' | 'projects'>>,
  ): void {
    const made = { isSession: false, value: secret, endsAt: never, isRevoked: false };
    this.accesses.push({ id, secret, user, parent, grants: limit, projects, ...made });
  }

  /** Takes a step, and compares the answer with the model. Returns what happened. */
  async take(one: Step): Promise<string> {
    const by = pick(this.accesses, one.by);
    const project = one.project % this.projects.length;
    const hasEnded = this.#hasEnded(by);
    const held = hasEnded ? undefined : powersOfAccess(by, project);
    const outcome = await this.#act(one, by, project, held);
    if (hasEnded && outcome.isPublic !== true) {
      expect(outcome.status, one.kind).toBe(401);
    } else {
      expect(outcome.status < 300, `${one.kind} ${outcome.status} ${outcome.text}`).toBe(outcome.isAllowed);
      if (outcome.isAllowed) outcome.apply?.();
    }
    return `${by.isSession ? 'session: ' : ''}${one.kind} ${outcome.status}`;
  }

  async #act(one: Step, by: Access, project: number, held: Powers | undefined): Promise<Outcome> {
    const url = `/v1/projects/${this.projects[project]}`;
    const user = pick(this.users, one.target);
    const may = (power: string) => held?.has(power) === true;
    const mayGive = (powers: Powers) => held !== undefined && isWithin(powers, held);
    const member = user.roles.get(project);
    switch (one.kind) {
      case 'add': {
        const answer = await this.call(by.secret, 'POST', `${url}/members`, {
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
          by.secret,
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
          by.secret,
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
        const answer = await this.call(by.secret, 'POST', '/v1/invitations/accept', {
          code: sent?.code ?? 'x',
        });
        const ofSender = sent === undefined ? undefined : powersOfUser(sent.sender, sent.project);
        return {
          ...answer,
          isAllowed:
            !isNarrowed(by) &&
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
        const answer = await this.call(by.secret, 'DELETE', `/v1/access_tokens/${target.id}`);
        return {
          ...answer,
          isAllowed: target.user === by.user && (!isNarrowed(by) || descends(target, by)),
          apply: () => this.#revoke(target),
        };
      }
      case 'issue': {
        const answer = await this.call<Token>(by.secret, 'POST', `${url}/tokens`, {
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
      case 'sign in':
        return this.#signIn(one, by);
      case 'sign out': {
        const answer = await this.call(by.secret, 'DELETE', '/v1/sessions/self');
        return {
          ...answer,
          isAllowed: true,
          apply: () => {
            if (by.isSession) by.isRevoked = true;
          },
        };
      }
      case 'renew':
        return this.#renew(one, by);
      case 'leak':
        return this.#reportLeak(one);
      case 'wait':
        this.#clock.advance(graceSeconds * 1_000);
        return { status: 200, text: '', isAllowed: true, isPublic: true };
    }
    throw new Error(`there is no step ${one.kind}`);
  }

  /** Also ends what was created with the token, its sessions among it. */
  #revoke(target: Access): void {
    for (const access of this.accesses) if (descends(access, target)) access.isRevoked = true;
  }

  /** With the token itself, or with a link that it creates. A session creates no other. */
  async #signIn(one: Step, by: Access): Promise<Outcome> {
    const browser = new TestBrowser(this.#nextReplica());
    let answer: { readonly status: number; readonly text: string };
    if (one.chance % 2 === 0 && !by.isSession) {
      answer = await browser.submit('/sign_in', { form: { token: by.secret } });
    } else {
      const link = await this.call<SignInLink>(by.secret, 'POST', '/v1/sign_in_links');
      answer = link;
      if (link.status === 201) {
        await browser.open(new URL(link.body.url).pathname);
        browser.app = this.#nextReplica();
        await browser.open('/sign_in/link');
        answer = await browser.submit('/sign_in/link');
      }
    }
    const secret = browser.session;
    return {
      status: answer.status === 303 ? 201 : answer.status,
      text: answer.text,
      isAllowed: !by.isSession,
      apply: () => {
        expect(secret).toBeDefined();
        // It ends with the value with which it was created.
        this.accesses.push({ ...by, secret: secret ?? '', isSession: true });
      },
    };
  }

  /** Rotates an access token, with or without a grace for its earlier value. */
  async #renew(one: Step, by: Access): Promise<Outcome> {
    const target = one.chance < 4 ? by : pick(this.accesses, one.target);
    const grace = one.chance % 2 === 0 ? graceSeconds : 0;
    const answer = await this.call<AccessToken>(by.secret, 'POST', `/v1/access_tokens/${target.id}/rotate`, {
      graceSeconds: grace,
    });
    const isOwn = target.id === by.id;
    const now = this.#clock.now();
    const hasEnded = this.accesses.some((one) => one.id === target.id && !one.isSession && one.isRevoked);
    return {
      ...answer,
      isAllowed:
        !hasEnded &&
        target.user === by.user &&
        // What ends soon gets nothing that lasts.
        (isOwn ? !by.isSession && by.endsAt === never : target.parent?.id === by.id),
      apply: () => {
        for (const access of this.accesses)
          if (access.id === target.id) access.endsAt = Math.min(access.endsAt, now + grace * 1_000);
        this.#keepAccess(target.user, answer.body, target);
      },
    };
  }

  /** Anybody may, and it gives nothing to anybody. */
  async #reportLeak(one: Step): Promise<Outcome> {
    this.#clock.advance(reportMilliseconds);
    const token = one.chance < 3 && this.tokens.length > 0 ? pick(this.tokens, one.target) : undefined;
    const target = pick(this.accesses, one.target);
    const value = token?.token ?? target.secret;
    const answer = await this.call('', 'POST', '/v1/token_leaks', [{ token: value }]);
    expect(answer.text).toBe('{"received":1}');
    const credential = token === undefined ? undefined : { project: value };
    await eventually(async () => {
      const { status } =
        credential === undefined
          ? await this.call(value, 'GET', '/v1/me')
          : await pick(this.#replicas, 0).request('GET', '/v1/me', { as: credential });
      expect(status).toBe(401);
    });
    return {
      ...answer,
      isAllowed: true,
      isPublic: true,
      apply: () => {
        if (token !== undefined) token.isRevoked = true;
        else if (target.isSession) target.isRevoked = true;
        else if (target.endsAt === never) this.#revoke(target);
        // A value from before a rotation ends alone, with its sessions.
        else this.#endValue(target);
      },
    };
  }

  #endValue(target: Access): void {
    for (const access of this.accesses) if (access.value === target.value) access.endsAt = 0;
  }

  async #narrow(one: Step, by: Access, project: number, held: Powers | undefined): Promise<Outcome> {
    const limit = one.chance < 5 ? one.grants : undefined;
    const projects = one.chance % 2 === 0 ? [project] : undefined;
    const answer = await this.call<AccessToken>(by.secret, 'POST', '/v1/access_tokens', {
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
    const held = token === undefined || this.#hasEnded(by) ? undefined : powersOfAccess(by, token.project);
    const isChange = token !== undefined && !token.isRevoked && held?.has('update token') === true;
    if (one.kind === 'rotate') {
      const answer = await this.call<Token>(by.secret, 'POST', `${url}/rotate`, {});
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
    const answer = await this.call<Token>(by.secret, 'PATCH', url, { permissions: one.grants });
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
    const { status, body } = await this.call<Me>(access.secret, 'GET', '/v1/me');
    expect(status).toBe(this.#hasEnded(access) ? 401 : 200);
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
  /** It needs no valid credential. */
  readonly isPublic?: boolean;
  readonly apply?: () => unknown;
}

function pick<Item>(list: readonly Item[], index: number): Item {
  const found = list[index % list.length];
  if (found === undefined) throw new Error('nothing to pick from');
  return found;
}
