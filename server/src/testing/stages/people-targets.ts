import { TestBrowser } from '../receivers/test-browser.ts';
import type { TestApp, TestProject } from '../start-test-app.ts';

/** The resource that a path names, and its token if it is an agent or a core instance. */
export interface Target {
  readonly params: Readonly<Record<string, string>>;
  readonly agentToken?: string;
  readonly coreInstanceToken?: string;
}

export async function aCoreInstance(app: TestApp, project: TestProject): Promise<Target> {
  const { id, token } = await app.createCoreInstance(project);
  return { params: { coreInstanceID: id }, coreInstanceToken: token };
}

export async function aMachine(): Promise<Target> {
  return { params: { machineID: 'web-02' } };
}

export async function theProject(_app: TestApp, project: TestProject): Promise<Target> {
  return { params: { projectID: project.id } };
}

export async function aSession(app: TestApp): Promise<Target> {
  const browser = new TestBrowser(app);
  await browser.signIn(app.admin);
  const { body } = await browser.call<{ sessionID: string }>('GET', '/v1/me');
  return { params: { sessionID: body.sessionID } };
}

export async function anAccessToken(app: TestApp): Promise<Target> {
  const { body } = await app.request<{ id: string }>('POST', '/v1/access_tokens', {
    as: { access: app.admin },
    body: { name: 'to be revoked' },
  });
  return { params: { accessTokenID: body.id } };
}

/** A user without any role in the project. */
export async function addUser(app: TestApp): Promise<{ readonly userID: string; readonly token: string }> {
  const elsewhere = await app.createProject('elsewhere');
  const { params } = await aCode(app, elsewhere);
  const { body } = await app.request<{ userID: string; token: string }>('POST', '/v1/invitations/sign_up', {
    body: { code: params.code, name: 'Grace' },
  });
  await app.request('DELETE', `/v1/projects/${elsewhere.id}/members/${body.userID}`, {
    as: { access: app.admin },
  });
  return body;
}

export async function theNewcomer(app: TestApp, project: TestProject): Promise<Target> {
  const { userID } = await addUser(app);
  return { params: { projectID: project.id, userID } };
}

export async function aMember(app: TestApp, project: TestProject): Promise<Target> {
  const { params } = await theNewcomer(app, project);
  await app.request('POST', `/v1/projects/${project.id}/members`, {
    as: { access: app.admin },
    body: { userID: params.userID, role: 'viewer' },
  });
  return { params };
}

export async function anInvitation(app: TestApp, project: TestProject): Promise<Target> {
  const { params } = await aCode(app, project);
  return { params: { invitationID: params.invitationID ?? '' } };
}

export async function aCode(app: TestApp, project: TestProject): Promise<Target> {
  const { body } = await app.request<{ id: string; code: string }>(
    'POST',
    `/v1/projects/${project.id}/invitations`,
    { as: { access: app.admin }, body: { role: 'viewer' } },
  );
  return { params: { invitationID: body.id, code: body.code } };
}
