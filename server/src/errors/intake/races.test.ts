import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAgentErrors } from '../../testing/calls/agent-error-calls.ts';
import { problemBody } from '../../testing/calls/problem-body.ts';
import { openPostgresSession } from '../../testing/postgres/postgres-session.ts';
import { startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';
import { testEngine } from '../../testing/test-database.ts';

let test: TestApp;
let errors: ReturnType<typeof callAgentErrors>;

beforeAll(async () => {
  test = await startTestApp();
  errors = callAgentErrors(test);
});

afterAll(() => test.close());

async function start(): Promise<{ project: TestProject; agentID: string }> {
  const project = await test.createProject();
  return { project, agentID: (await test.registerAgent(project)).id };
}

const rounds = 30;

/** Starts both in alternating order, so that each is sometimes first. */
async function race<One, Other>(
  round: number,
  one: () => Promise<One>,
  other: () => Promise<Other>,
): Promise<[One, Other]> {
  if (round % 2 === 0) return Promise.all([one(), other()]);
  const second = other();
  return [await one(), await second];
}

describe('a report that races', () => {
  it.runIf(testEngine === 'postgres')(
    'with changes of credentials that never end is refused after some attempts, and taken when they end',
    async () => {
      const { project, agentID } = await start();
      expect((await errors.report(project, agentID, 'before')).status).toBe(201);
      const session = await openPostgresSession(test.dataDirectory);
      // Whoever reads the number finds another one.
      await session.query(`
        alter table credential_changes rename to kept_credential_changes;
        create sequence numbers start 1000;
        create view credential_changes as
          select nextval('numbers') as generation, fleet_generation, list_position from kept_credential_changes`);
      const refused = await errors.report(project, agentID, 'meanwhile');
      await session.query(`
        drop view credential_changes;
        alter table kept_credential_changes rename to credential_changes`);
      await session.end();
      expect([refused.status, refused.body]).toEqual([503, problemBody('overloaded')]);
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
      expect((await errors.listOfAgent(agentID)).body.map(({ error }) => error)).toEqual(['before']);
      const taken = await errors.report(project, agentID, 'meanwhile');
      expect([taken.status, taken.headers['muster-agent-error']]).toEqual([201, 'created']);
    },
  );

  it('with the dismissal of the open error is counted there or stored as a new error', async () => {
    const { project, agentID } = await start();
    for (let round = 0; round < rounds; round += 1) {
      const text = `round ${round}`;
      const { body: open } = await errors.report(project, agentID, text);
      const [report, dismissal] = await race(
        round,
        () => errors.report(project, agentID, text),
        () => errors.dismiss(open.id),
      );
      expect([report.status, dismissal.status]).toEqual([201, 200]);
      const isNew = report.body.id !== open.id;
      expect(report.headers['muster-agent-error']).toBe(isNew ? 'created' : 'ignored');
      const listed = (await errors.listOfAgent(agentID)).body.filter(({ error }) => error === text);
      expect(
        listed.map(({ id, occurrences, dismissedAt }) => [id, occurrences, dismissedAt === null]),
      ).toEqual(
        isNew
          ? [
              [report.body.id, 1, true],
              [open.id, 1, false],
            ]
          : [[open.id, 2, false]],
      );
      // In either order, the dismissal is effective from its answer on.
      expect((await errors.report(project, agentID, text)).body.id).not.toBe(open.id);
    }
  });

  it('with the reopening of an equal one leaves one of the two open', async () => {
    const { project, agentID } = await start();
    for (let round = 0; round < rounds; round += 1) {
      const text = `round ${round}`;
      const { body: old } = await errors.report(project, agentID, text);
      await errors.dismiss(old.id);
      const [report, reopening] = await race(
        round,
        () => errors.report(project, agentID, text),
        () => errors.reopen(old.id),
      );
      expect(report.status).toBe(201);
      const open = (await errors.listOfAgent(agentID, '?dismissed=false')).body.filter(
        ({ error }) => error === text,
      );
      if (reopening.status === 200) {
        expect([report.body.id, report.headers['muster-agent-error']]).toEqual([old.id, 'ignored']);
        expect(open).toMatchObject([{ id: old.id, occurrences: 2 }]);
      } else {
        expect(report.headers['muster-agent-error']).toBe('created');
        expect(reopening).toMatchObject({ status: 409, body: { code: 'equal_agent_error_open' } });
        expect(open).toMatchObject([{ id: report.body.id, occurrences: 1 }]);
      }
    }
  });

  it('with a new configuration belongs to the previous or to the new one, as its answer says', async () => {
    const { project, agentID } = await start();
    for (let round = 0; round < rounds; round += 1) {
      const { body: open } = await errors.report(project, agentID, 'again');
      const [report, update] = await race(
        round,
        () => errors.report(project, agentID, 'again'),
        () => errors.configure(agentID, `configuration ${round}`),
      );
      expect([report.status, update.status]).toEqual([201, 204]);
      const isNew = report.body.id !== open.id;
      expect(report.headers['muster-agent-error']).toBe(isNew ? 'created' : 'ignored');
      const next = await errors.report(project, agentID, 'again');
      expect(next.body.id === report.body.id).toBe(isNew);
      expect(next.body.id).not.toBe(open.id);
    }
  });

  it('with the deletion of its agent is stored before or answered 410, and nothing remains', async () => {
    const project = await test.createProject();
    for (let round = 0; round < rounds; round += 1) {
      const { id } = await test.registerAgent(project);
      const reports = Array.from(
        { length: 5 },
        (_, index) => () => errors.report(project, id, `text ${index}`),
      );
      const [answers, deletion] = await race(
        round,
        () => Promise.all(reports.map((report) => report())),
        () => errors.deleteAgent(id),
      );
      expect(deletion.status).toBe(204);
      for (const { status } of answers) expect([201, 410]).toContain(status);
      expect((await errors.listOfProject(project.id, `?agent_id=${id}`)).body).toEqual([]);
      expect((await errors.report(project, id, 'late')).status).toBe(410);
    }
    expect((await errors.listOfProject(project.id)).body).toEqual([]);
  });

  it('with the deletion of its project is stored before or refused, and the project is deleted', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { project, agentID } = await start();
      const [report, deletion] = await race(
        round,
        () => errors.report(project, agentID, 'x'),
        () => test.request('DELETE', `/v1/projects/${project.id}`, { as: { access: test.admin } }),
      );
      expect(deletion.status).toBe(204);
      expect([201, 401, 404]).toContain(report.status);
      expect((await errors.report(project, agentID, 'x')).status).toBe(401);
    }
  });

  it("with the deletion of its machine's agent belongs to the old agent or a new one, or is answered 410", async () => {
    const project = await test.createProject();
    const sendByMachine = (machineID: string) =>
      test.request<{ id: string }>('POST', `/v1/machines/${machineID}/errors`, {
        as: { project: project.token },
        body: { error: 'x' },
      });
    for (let round = 0; round < rounds; round += 1) {
      const machineID = `machine-${round}`;
      const { id } = await test.registerAgent(project, machineID);
      const [report, deletion] = await race(
        round,
        () => sendByMachine(machineID),
        () => errors.deleteAgent(id),
      );
      expect(deletion.status).toBe(204);
      expect([201, 410]).toContain(report.status);
      expect((await errors.listOfProject(project.id, `?agent_id=${id}`)).body).toEqual([]);
      expect((await sendByMachine(machineID)).status).toBe(201);
    }
  });
});

describe('a dismissal that races', () => {
  it('with the deletion of the agent is answered 200 or 404', async () => {
    const project = await test.createProject();
    for (let round = 0; round < rounds; round += 1) {
      const { id } = await test.registerAgent(project);
      const { body } = await errors.report(project, id, 'x');
      const [dismissal, deletion] = await race(
        round,
        () => errors.dismiss(body.id),
        () => errors.deleteAgent(id),
      );
      expect(deletion.status).toBe(204);
      // An error that is removed meanwhile is not dismissed.
      expect([200, 404, 409]).toContain(dismissal.status);
      expect((await errors.dismiss(body.id)).status).toBe(404);
    }
  });

  it('with a reopening ends in the state of the later answer', async () => {
    const { project, agentID } = await start();
    const { body } = await errors.report(project, agentID, 'x');
    for (let round = 0; round < rounds; round += 1) {
      const [dismissal, reopening] = await race(
        round,
        () => errors.dismiss(body.id),
        () => errors.reopen(body.id),
      );
      expect(dismissal.status).toBe(200);
      expect([200, 409]).toContain(reopening.status);
      const [listed] = (await errors.listOfAgent(agentID)).body;
      expect(listed?.dismissedAt === null).toBe(reopening.status === 200);
      if (reopening.status === 409) await errors.reopen(body.id);
    }
  });
});
