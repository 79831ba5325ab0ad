import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, describeFailure, parseJson, textField } from './client.ts';
import { DemoError } from './demo-error.ts';
import type { Options } from './options.ts';

/** The credentials of the demo, and its project. */
export interface Access {
  readonly projectID: string;
  /** The token with which agents register and report. */
  readonly projectToken: string;
  /** The token with which lists are read. */
  readonly headers: Readonly<Record<string, string>>;
  /** The commands that let `muster` use the same server, token and project, without the secret. */
  readonly shellPreparation: string;
  /** Undefined if the project existed before. */
  readonly projectName: string | undefined;
}

interface Token {
  readonly value: string;
  /** Its value in shell syntax, with a comment if the reader has to fill it in. */
  readonly shellValue: string;
  readonly comment: string;
}

/** @throws DemoError that says how to start a server */
export async function requireServer(client: Client, url: URL): Promise<void> {
  const address = url.href.replace(/\/$/, '');
  const reply = await client
    .request({ method: 'GET', path: '/healthz', headers: {} })
    .catch((error: unknown) => {
      throw new DemoError(
        `No server answers at ${address} (${describeFailure(error)}).\nStart one in another terminal with \`npm start\`, or name another with --url.`,
      );
    });
  if (textField(parseJson(reply.text), 'status') === 'ok') return;
  throw new DemoError(
    `The server at ${address} is not Muster (GET /healthz: ${reply.status}).\nGive the address that \`npm start\` has printed with --url.`,
  );
}

/** Creates a new project if the token is an access token; otherwise uses the project of the project token. */
export async function openAccess(
  client: Client,
  options: Pick<Options, 'token' | 'url'>,
  dataDirectory: string,
  signal: AbortSignal,
): Promise<Access> {
  const token = findToken(options, dataDirectory);
  const prepare = (project: string): string =>
    `export MUSTER_URL=${options.url.href.replace(/\/$/, '')} MUSTER_PROJECT=${project} MUSTER_TOKEN=${token.shellValue}${token.comment}`;
  const projectID = projectOfToken(token.value);
  if (projectID !== undefined) {
    return {
      projectID,
      projectToken: token.value,
      headers: { 'X-Project-Token': token.value },
      shellPreparation: prepare(projectID),
      projectName: undefined,
    };
  }
  const headers = { Authorization: `Bearer ${token.value}` };
  const projectName = `demo-${new Date().toISOString().slice(0, 19).replaceAll(/\D/g, '')}`;
  const { body } = await client.require(
    { method: 'POST', path: '/v1/projects', headers, body: { name: projectName } },
    signal,
  );
  return {
    projectID: requireText(body, 'id'),
    projectToken: requireText(body, 'token'),
    headers,
    shellPreparation: prepare(projectName),
    projectName,
  };
}

function findToken({ token, url }: Pick<Options, 'token' | 'url'>, dataDirectory: string): Token {
  if (token !== undefined) {
    const where = token.source === 'flag' ? 'that you gave with --token' : 'in MUSTER_TOKEN of this terminal';
    return { value: token.value, shellValue: '…', comment: `   # the token ${where}` };
  }
  const file = join(dataDirectory, 'admin-token');
  // Another host has its own administrator; this host's admin token must not be sent there.
  const value = isThisHost(url) ? readIfThere(file) : undefined;
  if (value === undefined) {
    const where = isThisHost(url) ? `, and there is no file ${file} from a server started here` : '';
    throw new DemoError(
      `The demo needs a token${where}.\nGive an access token or a project token with --token or in MUSTER_TOKEN.`,
    );
  }
  return { value, shellValue: `$(cat '${file.replaceAll("'", "'\\''")}')`, comment: '' };
}

function isThisHost({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return undefined;
  }
}

/** The project id that a project token contains; undefined for other tokens. */
function projectOfToken(token: string): string | undefined {
  if (!token.includes('.mst_p_')) return undefined;
  const payload = Buffer.from(token.slice(0, token.indexOf('.')), 'base64url').toString();
  return textField(parseJson(payload), 'ProjectID');
}

/** @throws DemoError if the server's answer lacks the field */
export function requireText(body: unknown, name: string): string {
  const text = textField(body, name);
  if (text === undefined) throw new DemoError(`The server's answer has no '${name}': is it another version?`);
  return text;
}
