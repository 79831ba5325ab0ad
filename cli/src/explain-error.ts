import type { MusterConnectionError, MusterError } from '@muster/client';
import { isProblemCode, problems } from '@muster/contract';
import type { Command } from 'commander';
import { CommandError } from './command-error.ts';
import { isLoopback, localUrl } from './connection/server-url.ts';
import { exitCodes, type Failure } from './exit-codes.ts';
import { nameFields } from './name-fields.ts';
import { printable } from './output/printable.ts';

/** A failure for the user: the exit code and the text for stderr, which ends with a newline. */
export interface ExplainedError {
  readonly exitCode: number;
  readonly text: string;
}

export interface ErrorContext {
  /** The environment variable that contained the refused token; undefined if the token came from elsewhere. */
  readonly tokenVariable?: string | undefined;
  /** Where the command took its project from, if not from the credential: `MUSTER_PROJECT`. */
  readonly projectSource?: string | undefined;
  /** The command that ran, for the names of its flags. */
  readonly command?: Command | undefined;
}

/** Explains any failure. Control characters in texts of the service or of other people are made visible. */
export function explainError(error: unknown, context: ErrorContext = {}): ExplainedError {
  if (error instanceof CommandError) return toExplained(error.failure, error.message, error.mend);
  if (isRefusal(error)) return explainRefusal(error, context);
  if (isConnectionFailure(error)) return explainConnectionFailure(error, context);
  return { exitCode: exitCodes.failed, text: `muster: ${explainAny(error)}\n` };
}

function explainRefusal(
  { status, code, problem, requestID }: MusterError,
  context: ErrorContext,
): ExplainedError {
  const mend = mendOf({ status, code, requestID, problem }, context);
  if (code === 'credential_kind_not_accepted' || code === 'missing_credential') {
    return toExplained(failureOf(status), nameTokens(problem.detail), mend);
  }
  // A general detail only says what to do; the title says what happened.
  const isGeneral = isProblemCode(code) && problem.detail === problems[code].help;
  const detail = isGeneral || problem.detail === '' ? `${problem.title}: ${problem.detail}` : problem.detail;
  const fields = (problem.fields ?? []).map(({ path, message }) => `${path}: ${message}`);
  // If only one field was refused, the detail already contains its message.
  const message = [
    detail,
    ...fields.filter((field) => !detail.includes(field.slice(field.indexOf(': ') + 2))),
  ];
  return toExplained(failureOf(status), nameFields(message.join('\n  '), context.command), mend);
}

/** The names that the command uses for the headers of a request. */
const tokenNames = [
  ['Authorization: Bearer', 'an access token'],
  ['X-Project-Token', 'a project token'],
  ['X-Agent-Token', 'an agent token'],
] as const;

/** `This route takes X-Project-Token.` becomes `This command takes a project token.` */
function nameTokens(detail: string): string {
  const named = tokenNames.filter(([header]) => detail.includes(header)).map(([, name]) => name);
  return named.length === 0 ? detail : `This command takes ${named.join(' or ')}, and no other credential.`;
}

export function failureOf(status: number): Failure {
  if (status === 401) return 'notSignedIn';
  if (status === 403) return 'forbidden';
  return status === 404 || status === 410 ? 'notFound' : 'failed';
}

function mendOf(
  { status, code, requestID, problem }: Pick<MusterError, 'status' | 'code' | 'requestID' | 'problem'>,
  { tokenVariable, projectSource }: ErrorContext,
): string | undefined {
  if (status === 401 && tokenVariable !== undefined) {
    return `The token is the one in ${tokenVariable}. Correct it, or unset ${tokenVariable} to use the profile that is signed in.`;
  }
  if (status === 401) return 'Sign in again with a valid token. Run: muster login';
  if (code === 'permission_denied') return "'muster whoami' shows what this credential may do.";
  if (code === 'credential_kind_not_accepted')
    return "'muster whoami' shows what kind of credential this is.";
  if (code === 'not_found' && problem.detail.startsWith('There is no project ')) {
    const source = projectSource === undefined ? '' : `The id is from ${projectSource}.\n`;
    return `${source}To list the existing ones, run: muster project list`;
  }
  if (code === 'not_found') return "Check the id. 'muster whoami' shows where you are signed in.";
  return status >= 500 ? `Request id, for the log of the service: ${requestID}` : undefined;
}

function explainConnectionFailure(error: MusterConnectionError, { command }: ErrorContext): ExplainedError {
  // Removes the operation id at the beginning of the SDK's message.
  const isRead = /^(?:get|list)[A-Z]/.test(error.message);
  const message = error.message.replace(/^[a-z]+[A-Z]\w* got no answer/, 'No answer came');
  if (isUntrusted(error)) {
    return toExplained(
      'failed',
      message,
      'The certificate of the service is not trusted here. If it comes from an authority of your own, set NODE_EXTRA_CA_CERTS to the\nfile with the certificate of that authority. Otherwise check the name and the expiry of the certificate.',
    );
  }
  const mend =
    error.mayBeDone && !isRead && error.name !== 'MusterAnswerError'
      ? 'It may still have been carried out: check before you run it again.'
      : command?.name() === 'status'
        ? `${startOf(message)}\n'muster profile list' shows which servers are known here. For another one, run: muster login --url URL`
        : "'muster status' shows whether the service is up. For another server, run: muster login --url URL";
  return toExplained('failed', message, mend);
}

/** How to start the service at the address that gave no answer. */
function startOf(message: string): string {
  const [, url] = /^No answer came from (\S+?):? /.exec(message) ?? [];
  if (url === undefined || !isLoopback(url)) {
    return `If it is down, start it on the machine of ${url ?? 'the service'} as it was installed.`;
  }
  const { port } = new URL(url);
  const setting = url === localUrl ? '' : `PORT=${port} `;
  return `If it should run on this machine, start it as before: with '${setting}muster serve', in a checkout with '${setting}npm start', or as it was installed.`;
}

function toExplained(failure: Failure, message: string, mend: string | undefined): ExplainedError {
  const lines = [
    `muster: ${message}`,
    ...(mend === undefined ? [] : mend.split('\n').map((line) => `  ${line}`)),
  ];
  const text = lines
    .join('\n')
    .split('\n')
    .map((line) => `${printable(line)}\n`)
    .join('');
  return { exitCode: exitCodes[failure], text };
}

function explainAny(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isBug = error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError;
  const message = (isBug ? error.stack : undefined) ?? error.message;
  return error.cause === undefined ? message : `${message}\n  because: ${explainAny(error.cause)}`;
}

// Recognized by their names, because only commands that need the SDK load its classes.
export function isRefusal(error: unknown): error is MusterError {
  return error instanceof Error && error.name === 'MusterError' && 'problem' in error;
}

/** Codes of Node.js and OpenSSL for certificates that are refused. */
function isUntrusted(error: Error): boolean {
  const code = 'code' in error ? String(error.code) : '';
  if (/^(CERT_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_(VERIFY|GET_ISSUER)_|ERR_TLS_CERT_)/.test(code))
    return true;
  return error.cause instanceof Error && isUntrusted(error.cause);
}

function isConnectionFailure(error: unknown): error is MusterConnectionError {
  return error instanceof Error && 'mayBeDone' in error;
}
