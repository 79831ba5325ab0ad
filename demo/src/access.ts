import { type Client, createClient, createProject } from '@muster/client';
import { type AgentClient, describeFailure, parseJson, textField } from './agent-client.ts';
import { DemoError } from './demo-error.ts';
import type { Options } from './options.ts';

/** The credentials of the demo, and its project. */
export interface Access {
  readonly projectID: string;
  /** The token with which agents register and report. */
  readonly projectToken: string;
  /** For everything that a person would do. */
  readonly client: Client;
  /** The commands that let `muster` use the same server, token and project, without the secret. */
  readonly preparation: readonly string[];
  /** The shell command that runs `muster`. */
  readonly command: string;
  /** Undefined if the project existed before. */
  readonly projectName: string | undefined;
}

/** @throws DemoError that says how to start a server */
export async function requireServer(client: AgentClient, url: URL): Promise<void> {
  const address = url.href.replace(/\/$/, '');
  const reply = await client
    .request({ method: 'GET', path: '/healthz', headers: {} })
    .catch((error: unknown) => {
      throw new DemoError(
        `No server answers at ${address} (${describeFailure(error)}).\nStart it in another terminal, or name another one in MUSTER_URL.`,
      );
    });
  if (textField(parseJson(reply.text), 'status') === 'ok') return;
  throw new DemoError(
    `The server at ${address} is not Muster (GET /healthz: ${reply.status}).\nGive the address that the server printed at its start in MUSTER_URL.`,
  );
}

/** Creates a new project if the token is an access token; otherwise uses the project of the project token. */
export async function openAccess(
  { command, shellToken, signIn, token, url }: Options,
  signal: AbortSignal,
): Promise<Access> {
  const prepare = (project: string): string =>
    `export MUSTER_URL=${url.href.replace(/\/$/, '')} MUSTER_PROJECT=${project} MUSTER_TOKEN=${shellToken}`;
  const projectID = projectOfToken(token);
  if (projectID !== undefined) {
    return {
      projectID,
      projectToken: token,
      client: createClient({ url: url.href, credential: { projectToken: token } }),
      preparation: [prepare(projectID)],
      command,
      projectName: undefined,
    };
  }
  const client = createClient({ url: url.href, credential: { accessToken: token } });
  const projectName = `demo-${new Date().toISOString().slice(0, 19).replaceAll(/\D/g, '')}`;
  const project = await createProject(client, { body: { name: projectName } }, { signal });
  return {
    projectID: project.id,
    projectToken: project.token,
    client,
    preparation:
      signIn === undefined
        ? [prepare(projectName)]
        : [...signIn, `project use ${projectName}`].map((words) => `${command} ${words}`),
    command,
    projectName,
  };
}

/** The project id that a project token contains; undefined for other tokens. */
function projectOfToken(token: string): string | undefined {
  if (!token.includes('.mst_p_')) return undefined;
  const payload = Buffer.from(token.slice(0, token.indexOf('.')), 'base64url').toString();
  return textField(parseJson(payload), 'ProjectID');
}
