import { bodyLimitBytes, largeBodyLimitBytes } from '@muster/contract';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../server/src/testing/eventually.ts';
import type { TestProject } from '../../server/src/testing/start-test-app.ts';
import { expectAlive, expectLogged, expectProblem, expectUsable } from './expect-answer.ts';
import { faultsIn, type ListeningApp, startListeningApp } from './listening-app.ts';
import { RawConnection } from './raw-connection.ts';
import { requestText } from './request-text.ts';

/** This many of the largest bodies fit into the memory limit of one project, and twice as many into the total limit. */
const maxOfProject = 4;

let app: ListeningApp;
let open: RawConnection[];
beforeAll(async () => {
  // No delayed body reaches its time limit before the test ends.
  app = await startListeningApp({ httpLimits: { slowClientMilliseconds: 600_000 } });
});
beforeEach(() => {
  open = [];
});
afterEach(async () => {
  for (const connection of open) connection.destroy();
  await untilNoneIsOpen();
});
afterAll(async () => {
  expect(faultsIn(app.test.logs)).toEqual([]);
  await app.test.close();
});

async function connect(): Promise<RawConnection> {
  const connection = await RawConnection.open(app.port);
  open.push(connection);
  return connection;
}

const path = '/v1/machines/large/errors';
const wholeLength = `Content-Length: ${largeBodyLimitBytes}`;

/** The head of a report with the largest body, and the part of the body that a test sends first. */
function head(
  credential: string | undefined,
  { body = '', length = wholeLength, target = path } = {},
): Buffer {
  const headers = ['Content-Type: application/json'];
  if (credential !== undefined) headers.push(credential);
  return requestText({ method: 'POST', target, headers, length, body });
}

const credentialOf = ({ token }: TestProject) => `X-Project-Token: ${token}`;

/** Connections that announce the largest body and send none of it; the service has accepted them. */
async function fill(project: TestProject, count = maxOfProject): Promise<RawConnection[]> {
  // Once the credential is remembered, it is checked in the turn in which the head is read.
  await app.test.request('GET', '/v1/me', { as: { project: project.token } });
  const connections = await Promise.all(Array.from({ length: count }, connect));
  for (const connection of connections) {
    connection.send(head(credentialOf(project), { length: `Expect: 100-continue\r\n${wholeLength}` }));
    expect(await connection.nextAnswer()).toMatchObject({ status: 100 });
  }
  return connections;
}

/** Tells whether another large body would be accepted now; uses a body that is refused once it has arrived. */
async function hasRoom(project: TestProject): Promise<boolean> {
  const connection = await connect();
  const length = `Content-Length: ${bodyLimitBytes + 1}`;
  connection.send(head(credentialOf(project), { length, body: ' '.repeat(bodyLimitBytes + 1) }));
  const answer = await connection.nextAnswer();
  expect([400, 503]).toContain(answer?.status);
  // By then it has released its memory.
  if (answer?.status === 400) await connection.closed();
  connection.destroy();
  return answer?.status === 400;
}

async function expectRoom(project: TestProject, expected: boolean): Promise<void> {
  await eventually(async () => expect(await hasRoom(project)).toBe(expected));
}

/** As the service itself counts them. */
async function untilNoneIsOpen(): Promise<void> {
  const count = () =>
    new Promise<number>((resolve, reject) =>
      app.test.app.http.server.getConnections((error, found) => (error ? reject(error) : resolve(found))),
    );
  await eventually(async () => expect(await count()).toBe(0));
}

describe('a large unauthorized report', () => {
  it.each([
    ['without a credential', undefined, 'missing_credential'],
    ['with a malformed credential', 'X-Project-Token: nonsense', 'invalid_credential'],
    ['with one of the wrong kind', 'X-Agent-Token: mst_a_nonsense', 'credential_kind_not_accepted'],
  ] as const)('%s is refused before its body arrives', async (_name, credential, code) => {
    const connection = await connect();
    connection.send(head(credential));
    const problem = expectProblem(await connection.nextAnswer(), code);
    expectLogged(app.test.logs, problem);
    // The rest of the body is skipped, and the request after it is answered.
    connection.send(Buffer.alloc(largeBodyLimitBytes, ' '));
    await expectUsable(connection);
  });

  it('without the permission is refused before its body arrives', async () => {
    const { token } = await app.test.createToken(app.project.id, ['read:agent_error']);
    const connection = await connect();
    connection.send(head(`X-Project-Token: ${token}`));
    expectProblem(await connection.nextAnswer(), 'permission_denied');
    connection.destroy();
  });

  it('takes no memory from authorized reports', async () => {
    const strangers = await Promise.all(Array.from({ length: 3 * maxOfProject }, connect));
    for (const connection of strangers) connection.send(head('X-Project-Token: nonsense'));
    for (const connection of strangers) expectProblem(await connection.nextAnswer(), 'invalid_credential');
    expect(await hasRoom(app.project)).toBe(true);
  });
});

describe('more large reports at once than are held in memory', () => {
  it('503 overloaded, before the body arrives, and the connection can be used again', async () => {
    await fill(app.project);
    const connection = await connect();
    connection.send(head(credentialOf(app.project)));
    const answer = await connection.nextAnswer();
    const problem = expectProblem(answer, 'overloaded');
    expect(answer?.headers['retry-after']).toMatch(/^[1-5]$/);
    expectLogged(app.test.logs, problem);
    connection.send(Buffer.alloc(largeBodyLimitBytes, ' '));
    await expectUsable(connection);
  });

  it('201 for small reports, and other requests succeed', async () => {
    await fill(app.project);
    const connection = await connect();
    const body = '{"error":"small"}';
    const length = `Content-Length: ${body.length}`;
    connection.send(head(credentialOf(app.project), { body, length }));
    expect(await connection.nextAnswer()).toMatchObject({ status: 201 });
    connection.send(head(credentialOf(app.project), { body: chunk(body), length: chunked }));
    expect(await connection.nextAnswer()).toMatchObject({ status: 201 });
    await expectAlive(app.port);
  });

  it('one project cannot use all of the memory, but all projects together can', async () => {
    const [other, third] = [await app.test.createProject(), await app.test.createProject()];
    await fill(app.project);
    expect(await hasRoom(other)).toBe(true);
    await fill(other);
    expect(await hasRoom(third)).toBe(false);
  });

  it('are stored completely or not at all', async () => {
    const connections = await Promise.all(Array.from({ length: 2 * maxOfProject }, connect));
    const statuses: (number | undefined)[] = [];
    const answers = connections.map(async (connection, flush) => {
      const errors = Array.from({ length: 50 }, (_, index) => ({ error: `flush ${flush} line ${index}` }));
      const text = JSON.stringify(errors);
      const body = text + ' '.repeat(largeBodyLimitBytes - text.length - 1);
      connection.send(head(credentialOf(app.project), { body, target: app.reportPath }));
      statuses[flush] = (await connection.nextAnswer())?.status;
    });
    // All are in flight at once: the last byte of each arrives when those without room are refused.
    await eventually(() => expect(statuses.filter(Boolean)).toEqual(Array(maxOfProject).fill(503)));
    for (const connection of connections) connection.send(' ');
    await Promise.all(answers);
    expect(statuses.filter((status) => status === 201)).toHaveLength(maxOfProject);
    const { body: stored } = await app.test.request<{ error: string }[]>(
      'GET',
      `${app.reportPath}?last=1000`,
      { as: { access: app.test.admin } },
    );
    const storedOf = (flush: number) => stored.filter(({ error }) => error.startsWith(`flush ${flush} line`));
    expect(statuses.map((_, flush) => storedOf(flush).length)).toEqual(
      statuses.map((status) => (status === 201 ? 50 : 0)),
    );
  });

  it('are accepted again once others were answered or aborted', async () => {
    const [answered, gone] = await fill(app.project);
    gone?.destroy();
    await expectRoom(app.project, true);
    await fill(app.project, 1);
    expect(await hasRoom(app.project)).toBe(false);
    answered?.send(Buffer.alloc(largeBodyLimitBytes, ' '));
    expectProblem(await answered?.nextAnswer(), 'invalid_json');
    await expectRoom(app.project, true);
  });

  it('are accepted again when a connection with waiting ones ends', async () => {
    const connection = await connect();
    const whole = head(credentialOf(app.project), { body: ' '.repeat(largeBodyLimitBytes) });
    connection.send(Buffer.concat(Array.from({ length: maxOfProject }, () => whole)));
    connection.destroy();
    await expectRoom(app.project, true);
    await fill(app.project);
    expect(await hasRoom(app.project)).toBe(false);
  });
});

const chunked = 'Transfer-Encoding: chunked';
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;

describe('a large report in chunks', () => {
  it('is counted from its 65,537th byte on, and refused there if no memory is left', async () => {
    const [first] = await fill(app.project);
    const connection = await connect();
    const size = (2 * bodyLimitBytes).toString(16);
    connection.send(head(credentialOf(app.project), { length: chunked }));
    connection.send(`${size}\r\n${' '.repeat(bodyLimitBytes)}`);
    await expectRoom(app.project, false);
    connection.send(' ');
    expectProblem(await connection.nextAnswer(), 'overloaded');
    await connection.closed();

    first?.destroy();
    await expectRoom(app.project, true);
    // The request for room takes some for a moment: a chunk that arrives just then is refused and sent again.
    const taken = await eventually(async () => {
      const sent = await connect();
      sent.send(head(credentialOf(app.project), { length: chunked }));
      sent.send(`${size}\r\n${' '.repeat(bodyLimitBytes + 1)}`);
      const leavesRoom = await hasRoom(app.project);
      if (leavesRoom) sent.destroy();
      expect(leavesRoom).toBe(false);
      return sent;
    });
    taken.destroy();
    await expectRoom(app.project, true);
  });

  it('201: complete', async () => {
    const connection = await connect();
    const errors = Array.from({ length: 100 }, (_, index) => ({
      error: `chunk ${index} ${'x'.repeat(1_000)}`,
    }));
    const body = chunk(JSON.stringify(errors));
    connection.send(head(credentialOf(app.project), { length: chunked, body }));
    const answer = await connection.nextAnswer();
    expect(answer?.status).toBe(201);
    expect(JSON.parse(answer?.text ?? '')).toHaveLength(100);
    await expectUsable(connection);
  });

  it('400 bad_request: incomplete, and its memory is free again', async () => {
    const connection = await connect();
    connection.send(head(credentialOf(app.project), { length: chunked }));
    connection.send(`${(2 * bodyLimitBytes).toString(16)}\r\n${' '.repeat(bodyLimitBytes + 1)}`);
    connection.end();
    expectProblem(await connection.nextAnswer(), 'bad_request');
    await connection.closed();
    await fill(app.project);
  });
});
