import { randomUUID } from 'node:crypto';
import type { AuditEntry, Dismissal, DismissalFilter } from '@muster/contract';
import { foldError } from '@muster/faults';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { callAgentErrors, nextPage } from '../../testing/calls/agent-error-calls.ts';
import { callDismissals } from '../../testing/calls/dismissal-calls.ts';
import { problemBody } from '../../testing/calls/problem-body.ts';
import { countStatements } from '../../testing/rows/count-statements.ts';
import { startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';
import { groupIDOf } from '../groups/identity/error-group.ts';

let test: TestApp;
let errors: ReturnType<typeof callAgentErrors>;
let dismissals: ReturnType<typeof callDismissals>;
let userID: string;

beforeAll(async () => {
  test = await startTestApp();
  errors = callAgentErrors(test);
  dismissals = callDismissals(test);
  const me = await test.request<{ id: string }>('GET', '/v1/me', { as: { access: test.admin } });
  userID = me.body.id;
});

afterAll(() => test.close());

const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/);
const now = () => new Date(test.clock.now()).toISOString();

/** Two agents; each has the errors `no host 1` and `no disk`. */
async function start(): Promise<{ project: TestProject; agents: string[] }> {
  const project = await test.createProject();
  const agents: string[] = [];
  for (let count = 0; count < 2; count += 1) {
    const { id } = await test.registerAgent(project);
    agents.push(id);
    await errors.reportAll(project, id, [{ error: 'no host 1' }, { error: 'no disk' }]);
  }
  return { project, agents };
}

/** Texts of the open errors, sorted. */
async function openTexts(project: TestProject): Promise<string[]> {
  const { body } = await errors.listOfProject(project.id, '?dismissed=false');
  return body.map(({ error }) => error).sort();
}

function groupOf(project: TestProject, text: string): string {
  return groupIDOf(project.id, foldError(text));
}

describe('POST /v1/projects/{projectID}/dismissals', () => {
  describe('201', () => {
    it('by a text that has a secret of a fleet dismisses what is stored without it, and keeps the secret nowhere', async () => {
      const { project, agents } = await start();
      const as = { access: test.admin };
      const fleets = `/v1/projects/${project.id}/fleets`;
      const { body: fleet } = await test.request<{ id: string }>('POST', fleets, {
        as,
        body: { name: 'edge' },
      });
      const set = [{ name: 'password', value: 'Tr0ub4dor and 3' }];
      await test.request('PATCH', `/v1/fleets/${fleet.id}/secrets`, { as, body: { set } });
      const rawConfig = '[INPUT]\n    Name dummy\n    Tag  {{secrets.password}}\n';
      const used = await test.request('PATCH', `/v1/fleets/${fleet.id}`, { as, body: { rawConfig } });
      expect(used.status, used.text).toBe(200);
      const error = 'cannot sign in with Tr0ub4dor and 3';
      await errors.report(project, agents[0] ?? '', error);
      const { status, body } = await dismissals.create(project.id, { error }, 'rotated');
      expect([status, body]).toMatchObject([
        201,
        { errorsCount: 1, filter: { error: 'cannot sign in with --redacted--' } },
      ]);
      expect((await dismissals.get(body.id)).text).not.toContain('Tr0ub4dor');
      const log = await test.request('GET', `/v1/projects/${project.id}/audit_log`, { as });
      expect(log.text).toContain('cannot sign in with --redacted--');
      expect(log.text).not.toContain('Tr0ub4dor');
      const searched = await dismissals.create(project.id, { q: 'Tr0ub4dor and 3' }, 'rotated');
      expect([searched.status, searched.body]).toMatchObject([
        422,
        { code: 'invalid_body', fields: [{ path: '/filter/q' }] },
      ]);
      expect((await dismissals.list(project.id)).text).not.toContain('Tr0ub4dor');
    });

    it('dismisses the open errors that match, and says how many of how many agents', async () => {
      const { project, agents } = await start();
      test.clock.advance(1_000);
      const { status, body } = await dismissals.create(project.id, { q: 'NO HOST' }, 'wrong name');
      expect(status).toBe(201);
      expect(body).toEqual({
        id: uuid,
        state: 'done',
        errorsCount: 2,
        agentsCount: 2,
        note: null,
        reason: 'wrong name',
        filter: { q: 'NO HOST' },
        groups: [],
        requestedAt: now(),
        requestedBy: { kind: 'user', id: userID, name: 'administrator' },
        endedAt: now(),
        undo: null,
      });
      expect(await openTexts(project)).toEqual(['no disk', 'no disk']);
      expect((await errors.listOfAgent(agents[0] ?? '', '?dismissed=true')).body).toMatchObject([
        {
          error: 'no host 1',
          dismissedAt: now(),
          dismissReason: 'wrong name',
          dismissedBy: { kind: 'user', id: userID, name: 'administrator' },
        },
      ]);
      expect((await dismissals.get(body.id)).body).toEqual(body);
    });

    it('takes each condition alone and all of them together', async () => {
      const { project, agents } = await start();
      const [first = '', second = ''] = agents;
      await test.request('PATCH', `/v1/agents/${second}`, {
        as: { access: test.admin },
        body: { fleetID: 'eu', rawConfig: '[INPUT]\n  name mem\n' },
      });
      const groupID = groupOf(project, 'no host 1');
      const count = async (filter: object) => {
        const { body } = await dismissals.preview(project.id, filter);
        return [body.errorsCount, body.agentsCount];
      };
      expect(await count({ groupID: groupID.toUpperCase() })).toEqual([2, 2]);
      expect(await count({ groupIDs: [groupID.toUpperCase(), groupID] })).toEqual([2, 2]);
      expect(await count({ groupIDs: [groupID, groupOf(project, 'no disk')] })).toEqual([4, 2]);
      expect(await count({ error: 'no disk' })).toEqual([2, 2]);
      expect(await count({ error: 'no dis' })).toEqual([0, 0]);
      expect(await count({ q: 'DIS' })).toEqual([2, 2]);
      expect(await count({ agentIDs: [first] })).toEqual([2, 1]);
      expect(await count({ agentIDs: [first, first.toUpperCase(), second] })).toEqual([4, 2]);
      expect(await count({ fleetID: 'eu' })).toEqual([2, 1]);
      expect(await count({ current: true })).toEqual([2, 1]);
      expect(await count({ current: false })).toEqual([2, 1]);
      expect(await count({ createdBefore: now() })).toEqual([0, 0]);
      test.clock.advance(1);
      expect(await count({ createdBefore: now() })).toEqual([4, 2]);
      expect(await count({ all: true })).toEqual([4, 2]);
      const together = {
        groupID,
        error: 'no host 1',
        q: 'host',
        agentIDs: [second],
        fleetID: 'eu',
        current: false,
      };
      expect(await count(together)).toEqual([1, 1]);
      expect((await dismissals.create(project.id, together)).body).toMatchObject({
        errorsCount: 1,
        agentsCount: 1,
      });
      expect(await openTexts(project)).toEqual(['no disk', 'no disk', 'no host 1']);
    });

    it('names the causes that it is for, also in the audit log and when it is undone', async () => {
      const { project, agents } = await start();
      const known = '[output:loki:loki.0] no upstream connections available to 10.0.0.2:9';
      await errors.report(project, agents[0] ?? '', known);
      const [reachable, noHost] = [known, 'no host 1'].map((text) => ({
        id: groupOf(project, text),
        pattern: foldError(text),
      }));
      const one = await dismissals.create(project.id, { groupID: reachable?.id ?? '' });
      const name = 'Destination not reachable (loki)';
      expect(one.body.groups).toEqual([{ id: reachable?.id, name }]);
      await dismissals.undo(one.body.id);
      const groupIDs = [noHost?.id ?? '', reachable?.id ?? ''];
      const two = await dismissals.create(project.id, { groupIDs });
      expect(two.body.groups).toEqual([
        { id: noHost?.id, name: noHost?.pattern },
        { id: reachable?.id, name },
      ]);
      expect((await dismissals.list(project.id)).body.map(({ groups }) => groups)).toEqual([
        two.body.groups,
        one.body.groups,
      ]);
      const { body: log } = await test.request<AuditEntry[]>('GET', `/v1/projects/${project.id}/audit_log`, {
        as: { access: test.admin },
      });
      const namedIn = (action: string) =>
        log.flatMap((entry) => (entry.action === action ? [entry.target.name] : []));
      expect(namedIn('dismissal.created')).toEqual([null, reachable?.pattern]);
      expect(namedIn('dismissal.undone')).toEqual([reachable?.pattern]);
    });

    it('looks for any number of groups and agents with as many statements as for one', async () => {
      const { project, agents } = await start();
      const groups = ['no host 1', 'no disk'].map((text) => groupOf(project, text));
      const statementsOf = async (filter: DismissalFilter) => {
        const statements = countStatements();
        await dismissals.preview(project.id, filter);
        const sent = statements.count();
        vi.restoreAllMocks();
        return sent;
      };
      const one = { groupIDs: groups.slice(0, 1), agentIDs: agents.slice(0, 1) };
      await statementsOf(one);
      expect(await statementsOf({ groupIDs: groups, agentIDs: agents })).toBe(await statementsOf(one));
    });

    it('compares the whole text as it is stored, without secrets', async () => {
      const project = await test.createProject();
      const { id } = await test.registerAgent(project);
      const text = 'cannot use token ghp_abcdefghijklmnopqrstuvwxyz0123456789';
      await errors.report(project, id, text);
      const { body } = await dismissals.create(project.id, { error: text });
      expect(body.errorsCount).toBe(1);
      expect(JSON.stringify(body)).not.toContain('ghp_abc');
    });

    it('only counts with dryRun', async () => {
      const { project } = await start();
      const { status, body } = await dismissals.preview(project.id, { error: 'no disk' });
      expect(status).toBe(201);
      expect(body).toEqual({ dryRun: true, errorsCount: 2, agentsCount: 2, note: null });
      expect(await openTexts(project)).toHaveLength(4);
      expect((await dismissals.list(project.id)).body).toEqual([]);
    });

    it('says so if nothing matches', async () => {
      const { project } = await start();
      const note = 'No open error matches the filter.';
      expect((await dismissals.preview(project.id, { q: 'absent' })).body).toEqual({
        dryRun: true,
        errorsCount: 0,
        agentsCount: 0,
        note,
      });
      expect((await dismissals.create(project.id, { q: 'absent' })).body).toMatchObject({
        state: 'done',
        errorsCount: 0,
        agentsCount: 0,
        note,
      });
    });

    it('leaves alone what is reported later, which is stored as a new error', async () => {
      const { project, agents } = await start();
      const [first = ''] = agents;
      await dismissals.create(project.id, { all: true });
      const again = await errors.report(project, first, 'no disk');
      expect(again.headers['muster-agent-error']).toBe('created');
      expect(await openTexts(project)).toEqual(['no disk']);
    });

    it('leaves alone errors of other projects and errors that are dismissed', async () => {
      const { project, agents } = await start();
      const other = await start();
      const [newest] = (await errors.listOfAgent(agents[0] ?? '')).body;
      await errors.dismiss(newest?.id ?? '', 'seen');
      expect((await dismissals.create(project.id, { all: true })).body.errorsCount).toBe(3);
      expect((await errors.listOfAgent(agents[0] ?? '')).body[0]).toMatchObject({ dismissReason: 'seen' });
      expect(await openTexts(other.project)).toHaveLength(4);
    });

    it('makes the agents healthy', async () => {
      const { project, agents } = await start();
      const statusOf = async () => {
        const { body } = await test.request<{ status: string }>('GET', `/v1/agents/${agents[0]}`, {
          as: { access: test.admin },
        });
        return body.status;
      };
      expect(await statusOf()).toBe('unhealthy');
      await dismissals.create(project.id, { all: true });
      expect(await statusOf()).toBe('healthy');
    });
  });

  describe('refusals', () => {
    const send = (projectID: string, body: unknown) =>
      test.request('POST', `/v1/projects/${projectID}/dismissals`, { as: { access: test.admin }, body });

    it.each([
      ['no filter', { reason: 'x' }, '/filter', 'is missing'],
      ['no reason', { filter: { all: true } }, '/reason', 'is missing'],
      [
        'a reason that is too long',
        { reason: 'r'.repeat(101), filter: { all: true } },
        '/reason',
        'must have at most 100 characters',
      ],
      [
        'an empty filter',
        { reason: 'x', filter: {} },
        '/filter',
        'has no condition. To dismiss all open errors of the project, send {"all": true}',
      ],
      [
        'all: false alone',
        { reason: 'x', filter: { all: false } },
        '/filter',
        'has no condition. To dismiss all open errors of the project, send {"all": true}',
      ],
      [
        'all beside a condition',
        { reason: 'x', filter: { all: true, q: 'x' } },
        '/filter/all',
        'selects all open errors, so it takes no other condition beside it',
      ],
      [
        'a time without its zone',
        { reason: 'x', filter: { createdBefore: '2026-01-31T00:00:00' } },
        '/filter/createdBefore',
        'must be an ISO 8601 time with its zone, such as 2026-01-31T00:00:00Z',
      ],
      ['no agents', { reason: 'x', filter: { agentIDs: [] } }, '/filter/agentIDs', 'must not be empty'],
      ['an empty text', { reason: 'x', filter: { q: '' } }, '/filter/q', 'must not be empty'],
      [
        'a flag that is none',
        { reason: 'x', filter: { current: 'yes' } },
        '/filter/current',
        'must be a boolean',
      ],
    ])('422: %s', async (_, body, path, message) => {
      const { project } = await start();
      const answer = await send(project.id, body);
      expect(answer.status).toBe(422);
      expect(answer.body).toMatchObject({ code: 'invalid_body', fields: [{ path, message }] });
      expect(await openTexts(project)).toHaveLength(4);
    });

    it.each([
      ['an unknown condition', { agentID: randomUUID() }, '/filter/agentID'],
      ['a group that is no id', { groupID: 'web' }, '/filter/groupID'],
      ['groups in two fields', { groupID: randomUUID(), groupIDs: [randomUUID()] }, '/filter/groupIDs'],
      ['an agent that is no id', { agentIDs: ['web'] }, '/filter/agentIDs/0'],
    ])('422 that names the field: %s', async (_, filter, path) => {
      const { project } = await start();
      const answer = await send(project.id, { reason: 'x', filter });
      expect(answer.status).toBe(422);
      expect(answer.body).toMatchObject({ code: 'invalid_body', fields: [{ path }] });
    });

    it('404: a project, a group or an agent that is not there, or of another project', async () => {
      const { project } = await start();
      const other = await start();
      const id = randomUUID();
      expect((await send(id, { reason: 'x', filter: { all: true } })).status).toBe(404);
      const groupID = groupOf(other.project, 'no disk');
      for (const [one, filter] of [id, groupID].flatMap(
        (one) =>
          [
            [one, { groupID: one }],
            [one, { groupIDs: [one] }],
          ] as const,
      )) {
        const answer = await send(project.id, { reason: 'x', filter });
        // The id of a group follows from the project, so that it is of one alone.
        expect(answer.body).toEqual(
          problemBody('not_found', `There is no group of errors ${one} in this project.`),
        );
      }
      for (const one of [id, other.agents[0] ?? '']) {
        const answer = await send(project.id, { reason: 'x', filter: { agentIDs: [one] }, dryRun: true });
        expect(answer.body).toEqual(problemBody('not_found', `There is no agent ${one} in this project.`));
      }
    });
  });
});

describe('GET /v1/projects/{projectID}/dismissals', () => {
  it('lists the dismissals of the project page by page, newest first, and none of single errors', async () => {
    const { project, agents } = await start();
    const [newest] = (await errors.listOfAgent(agents[0] ?? '')).body;
    await errors.dismiss(newest?.id ?? '', 'seen');
    const made: Dismissal[] = [];
    for (const q of ['no host', 'no disk', 'none'])
      made.unshift((await dismissals.create(project.id, { q })).body);
    expect((await dismissals.list(project.id)).body).toEqual(made);
    const first = await dismissals.list(project.id, '?last=2');
    expect(first.body).toEqual(made.slice(0, 2));
    const next = nextPage(first)?.split('?')[1] ?? '';
    expect((await dismissals.list(project.id, `?${next}`)).body).toEqual(made.slice(2));
  });
});

describe('POST /v1/dismissals/{dismissalID}/undo', () => {
  it('reopens exactly what it has dismissed', async () => {
    const { project, agents } = await start();
    await dismissals.create(project.id, { error: 'no disk' }, 'another one');
    const { body } = await dismissals.create(project.id, { all: true });
    test.clock.advance(1_000);
    const undone = await dismissals.undo(body.id);
    expect(undone.status).toBe(200);
    expect(undone.body).toEqual({
      ...body,
      state: 'undone',
      undo: {
        requestedAt: now(),
        requestedBy: { kind: 'user', id: userID, name: 'administrator' },
        endedAt: now(),
        reopenedCount: 2,
        notReopenedCount: 0,
        notReopened: { equalErrorOpen: 0, changedSince: 0 },
      },
    });
    expect(await openTexts(project)).toEqual(['no host 1', 'no host 1']);
    expect((await errors.listOfAgent(agents[0] ?? '', '?dismissed=false')).body).toMatchObject([
      { error: 'no host 1', dismissedAt: null, dismissReason: null, dismissedBy: null },
    ]);
    const repeated = await errors.report(project, agents[0] ?? '', 'no host 1');
    expect(repeated.headers['muster-agent-error']).toBe('ignored');
  });

  it('answers the same when it is undone again', async () => {
    const { project } = await start();
    const { body } = await dismissals.create(project.id, { all: true });
    const first = await dismissals.undo(body.id);
    test.clock.advance(1_000);
    const again = await dismissals.undo(body.id);
    expect(again.status).toBe(200);
    expect(again.body).toEqual(first.body);
  });

  it('counts what cannot be reopened: an equal error is open, or it was reopened or removed since', async () => {
    const { project, agents } = await start();
    const [first = '', second = ''] = agents;
    const { body } = await dismissals.create(project.id, { all: true });
    await errors.report(project, first, 'no disk');
    const own = (await errors.listOfAgent(second, '?dismissed=true')).body;
    const disk = own.find(({ error }) => error === 'no disk')?.id;
    await errors.reopen(disk ?? '');
    await errors.dismiss(disk ?? '', 'again');
    const undone = await dismissals.undo(body.id);
    expect(undone.body).toMatchObject({
      state: 'undone',
      errorsCount: 4,
      undo: { reopenedCount: 2, notReopenedCount: 2, notReopened: { equalErrorOpen: 1, changedSince: 1 } },
    });
    expect(await openTexts(project)).toEqual(['no disk', 'no host 1', 'no host 1']);
    expect((await errors.listOfAgent(second, '?dismissed=true')).body).toMatchObject([
      { id: disk, dismissReason: 'again' },
    ]);
  });

  it('reopens errors of an earlier configuration, beside an equal one of now', async () => {
    const { project, agents } = await start();
    const [first = ''] = agents;
    const { body } = await dismissals.create(project.id, { agentIDs: [first], error: 'no disk' });
    await errors.configure(first, '[INPUT]\n  name mem\n');
    await errors.report(project, first, 'no disk');
    expect((await dismissals.undo(body.id)).body.undo).toMatchObject({
      reopenedCount: 1,
      notReopenedCount: 0,
    });
    expect(await openTexts(project)).toEqual(['no disk', 'no disk', 'no disk', 'no host 1', 'no host 1']);
  });

  it('404: a dismissal that is not there, or of another or a deleted project', async () => {
    const { project } = await start();
    const other = await test.createProject();
    const { body } = await dismissals.create(project.id, { all: true });
    const foreign = await test.createToken(other.id, ['*']);
    const detail = (id: string) => `There is no dismissal ${id} that this credential can see.`;
    const paths = [
      ['GET', ''],
      ['POST', '/undo'],
    ] as const;
    const send = (method: string, id: string, end: string, as: object) =>
      test.request(method, `/v1/dismissals/${id}${end}`, { as });
    for (const [method, end] of paths) {
      const id = randomUUID();
      const missing = await send(method, id, end, { access: test.admin });
      expect(missing.body).toEqual(problemBody('not_found', detail(id)));
      const denied = await send(method, body.id, end, { project: foreign.token });
      expect(denied.body).toEqual(problemBody('not_found', detail(body.id)));
    }
    await test.request('DELETE', `/v1/projects/${project.id}`, { as: { access: test.admin } });
    for (const [method, end] of paths) {
      const gone = await send(method, body.id, end, { access: test.admin });
      expect(gone.body).toEqual(problemBody('not_found', detail(body.id)));
    }
  });
});
