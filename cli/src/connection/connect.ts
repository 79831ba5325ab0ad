import type { Client, Project } from '@muster/client';
import type { CredentialKind } from '@muster/contract';
import { quoteForShell } from '@muster/contract';
import { CommandError } from '../command-error.ts';
import type { Profile } from '../profiles/profile-store.ts';
import { askWhich } from '../terminal/prompts.ts';
import { canPrompt, type Terminal } from '../terminal/terminal.ts';
import { withWaitingLine } from '../terminal/waiting-line.ts';
import { readVersion } from '../version.ts';
import { type ChosenServer, chooseServer } from './choose-server.ts';
import { kindOfToken, projectIDOfToken, toCredential } from './credential.ts';

/** A connection to a server. */
export interface Connection {
  readonly client: Client;
  readonly url: string;
  readonly kind: CredentialKind;
  /** The project of the credential, if it is a project token. */
  readonly ownProjectID: string | undefined;
  readonly profile: Profile | undefined;
  /** The value of MUSTER_PROJECT: a project's name or id. */
  readonly givenProject?: string | undefined;
  /** Asks the user which of several projects to use; absent without a terminal. */
  readonly askForProject?: ((projects: readonly Project[]) => Promise<string>) | undefined;
}

/** Connects to the server that the flags, the environment and the profiles determine. @throws CommandError when not signed in */
export async function connect(terminal: Terminal, profileFlag: string | undefined): Promise<Connection> {
  return connectTo(terminal, await chooseServer(terminal, profileFlag));
}

/** @throws CommandError when not signed in */
export async function connectTo(
  terminal: Terminal,
  chosen: ChosenServer,
  mend = `Run: ${loginCommand(chosen)}`,
): Promise<Connection> {
  const { url, token, profile } = chosen;
  if (token === undefined) throw new CommandError('notSignedIn', `You are not signed in to ${url}.`, mend);
  return {
    client: await createConnectedClient(terminal, url, token),
    url,
    kind: kindOfToken(token),
    ownProjectID: projectIDOfToken(token),
    profile,
    givenProject: terminal.env.MUSTER_PROJECT,
    askForProject: canPrompt(terminal) ? createProjectQuestion(terminal, profile) : undefined,
  };
}

/** Asks only once per command. */
function createProjectQuestion(
  terminal: Terminal,
  profile: Profile | undefined,
): (projects: readonly Project[]) => Promise<string> {
  let answer: Promise<string> | undefined;
  const ask = async (projects: readonly Project[]): Promise<string> => {
    const choices = projects.map(({ id, name }) => ({ value: id, label: name, hint: id }));
    const projectID = await askWhich(terminal, 'There are several projects. Which one?', choices);
    const toKeep =
      profile === undefined
        ? `export MUSTER_PROJECT=${projectID}`
        : `${terminal.ownCommand()} project use ${projectID}`;
    terminal.stderr.write(`To use it for all commands, run: ${toKeep}\n`);
    return projectID;
  };
  return (projects) => {
    answer ??= ask(projects);
    return answer;
  };
}

/** The command that signs in to a server, ready to copy. */
export function loginCommand({ url, profile }: Pick<ChosenServer, 'url' | 'profile'>): string {
  const profileFlag = profile === undefined ? '' : ` --profile ${quoteForShell(profile.name)}`;
  return `muster login --url ${quoteForShell(url)}${profileFlag}`;
}

/** Shorter at a terminal, where a person waits. */
const maxAttempts = 3;
const attemptTimeoutMilliseconds = 30_000;

/** A client that reports its retries on stderr. Without a token it can call only public routes. */
export async function createConnectedClient(
  { stderr, every }: Pick<Terminal, 'stderr' | 'every'>,
  url: string,
  token: string | undefined,
): Promise<Client> {
  const { createClient } = await import('@muster/client');
  const { httpFetch } = await import('./http-fetch.ts');
  return createClient({
    url,
    ...(token === undefined ? {} : { credential: toCredential(token) }),
    fetch: withWaitingLine({ stderr, every }, httpFetch),
    userAgent: `muster-cli/${readVersion()}`,
    attemptTimeoutMilliseconds,
    retry: {
      attempts: maxAttempts,
      onRetry: ({ delayMilliseconds }) => {
        if (delayMilliseconds >= 1_000) {
          stderr.write(`No answer yet. Trying again in ${Math.ceil(delayMilliseconds / 1_000)} s …\n`);
        }
      },
    },
  });
}
