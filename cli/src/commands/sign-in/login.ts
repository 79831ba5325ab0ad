import type { Client, Me } from '@muster/client';
import { quoteForShell, signInLinkMinutes } from '@muster/contract';
import type { Command } from 'commander';
import { addLocalCommand, addProjectFlag } from '../../client-command.ts';
import { CommandError } from '../../command-error.ts';
import { type ChosenServer, chooseServer } from '../../connection/choose-server.ts';
import { connect, createConnectedClient, loginCommand } from '../../connection/connect.ts';
import { kindOfToken, projectIDOfToken, requireToken } from '../../connection/credential.ts';
import { findOnlyProject, findProjectID } from '../../connection/find-resources.ts';
import { findAdminToken, findLocalServer, type GivenToken } from '../../connection/local-server.ts';
import { isInClear, isLoopback, localUrl, readServerUrl } from '../../connection/server-url.ts';
import { Printer } from '../../output/printer.ts';
import {
  defaultProfileName,
  type Profile,
  ProfileStore,
  requireProfileName,
} from '../../profiles/profile-store.ts';
import { readStandardInput } from '../../read-text-file.ts';
import { askForToken } from '../../terminal/prompts.ts';
import { canPrompt, type Terminal } from '../../terminal/terminal.ts';

interface LoginFlags {
  readonly url?: string;
  readonly profile?: string;
  readonly project?: string;
  readonly token?: string;
  readonly withToken?: boolean;
  readonly web?: boolean;
}

/** `muster login`: stores a token for a server after the server has accepted it. */
export function addLoginCommand(program: Command, terminal: Terminal): void {
  const command = addLocalCommand(program, 'login', {
    summary: 'Sign in to a server.',
    description:
      'Checks a token with the server and stores it in a file that only you can read. Without flags, on the machine of a new server, it uses the token that the first start wrote to the data directory; otherwise it asks.',
    examples: [
      'muster login',
      'muster login --url https://muster.example.com --profile production',
      'muster login --url https://muster.example.com --with-token < token',
      'muster login --web',
    ],
  });
  addProjectFlag(command)
    .option(
      '--url <url>',
      `Address of the server. (MUSTER_URL) Default: the address of the profile, of the server that runs in this folder, or ${localUrl}.`,
    )
    .option('--profile <name>', `Name of the profile. (MUSTER_PROFILE) Default: ${defaultProfileName}.`)
    .option('--with-token', 'Read the token from standard input.')
    .option(
      '--token <token>',
      'The token. Other users can see it in the list of processes: prefer --with-token.',
    )
    .option(
      '--web',
      'Print a link that signs a browser in. Signs the command line in first, if it is not or if other flags are given.',
    )
    .action(async (flags: LoginFlags) => {
      const client = await findSignedIn(terminal, flags);
      if (client === undefined) await login(terminal, flags);
      if (flags.web === true) await printSignInLink(terminal, client, flags);
    });
}

/** The client of the stored credential, if nothing but a link is asked for. */
async function findSignedIn(terminal: Terminal, flags: LoginFlags): Promise<Client | undefined> {
  const { web, url, token, withToken, profile } = flags;
  if (web !== true || url !== undefined || token !== undefined || withToken === true) return undefined;
  const isNew = profile !== undefined && (await new ProfileStore(terminal).find(profile)) === undefined;
  const chosen = isNew ? undefined : await chooseServer(terminal, profile);
  return chosen?.token === undefined ? undefined : createConnectedClient(terminal, chosen.url, chosen.token);
}

/** It is not opened here: the arguments of programs, which contain the link, are visible to every user of the machine. */
async function printSignInLink(
  terminal: Terminal,
  signedIn: Client | undefined,
  { profile }: LoginFlags,
): Promise<void> {
  const { createSignInLink } = await import('@muster/client');
  const { url } = await createSignInLink(signedIn ?? (await connect(terminal, profile)).client);
  terminal.stdout.write(`${url}\n`);
  new Printer(terminal, {}).note(
    `Open the link in a browser and confirm. It works once, within ${signInLinkMinutes} minutes, and is not shown again.`,
  );
}

async function login(terminal: Terminal, flags: LoginFlags): Promise<void> {
  const printer = new Printer(terminal, {});
  const profiles = new ProfileStore(terminal);
  const { profile, isNamed } = await chooseProfile(terminal, profiles, flags);
  if (isInClear(profile.url)) {
    printer.note(
      `Warning: ${profile.url} is not encrypted. Anyone on the network in between can read the token.`,
    );
  }
  const { token, source } = await readToken(terminal, printer, flags, {
    url: profile.url,
    profile: isNamed ? profile : undefined,
  });
  const client = await createConnectedClient(terminal, profile.url, token);
  const { getMe } = await import('@muster/client');
  const me = await getMe(client);
  const connection = {
    client,
    url: profile.url,
    kind: kindOfToken(token),
    ownProjectID: projectIDOfToken(token),
    profile,
  };
  const project =
    flags.project === undefined
      ? (profile.project ?? (await findOnlyProject(connection)))
      : await findProjectID(connection, flags.project);
  const before = await profiles.find(profile.name);
  if (before !== undefined && before.url !== profile.url && !isNamed) throw otherServer(before, profile.url);
  // The token is written first: it contains its url, so after an interruption it is still sent to no other server.
  const kept: Profile = { ...profile, project: me.projectID ?? project };
  await profiles.writeToken(kept, token);
  await profiles.write(kept);
  const earlierName = await profiles.readCurrentName();
  await profiles.writeCurrentName(kept.name);
  printer.note(`Signed in to ${kept.url} as ${describeMe(me)}, with the token from ${source}.`);
  printer.note(`Stored as the profile '${kept.name}' in ${profiles.directory}.`);
  if (earlierName !== undefined && earlierName !== kept.name)
    printer.note(
      `All commands use it from now on. To use the one before again, run: muster profile use ${earlierName}`,
    );
  if ((terminal.env.MUSTER_TOKEN ?? '') !== '') {
    printer.note(
      'MUSTER_TOKEN is set and overrides this profile: unset it, or name the profile with --profile.',
    );
  }
}

/** `administrator (access token)`. */
export function describeMe({ kind, name }: Me): string {
  return kind === 'agent' ? `the agent '${name}'` : `'${name}' (${kind} token)`;
}

async function chooseProfile(
  terminal: Terminal,
  profiles: ProfileStore,
  flags: LoginFlags,
): Promise<{ readonly profile: Profile; readonly isNamed: boolean }> {
  const { MUSTER_URL: givenUrl = '', MUSTER_PROFILE: givenName = '' } = terminal.env;
  const named = flags.profile ?? (givenName === '' ? undefined : givenName);
  const name = requireProfileName(named ?? (await profiles.readCurrentName()) ?? defaultProfileName);
  const before = await profiles.find(name);
  const mayMove = before === undefined || (named === undefined && isLoopback(before.url));
  let url = (mayMove ? await findLocalServer(terminal) : undefined) ?? before?.url ?? localUrl;
  if (flags.url !== undefined) url = readServerUrl(flags.url, '--url');
  else if (givenUrl !== '') url = readServerUrl(givenUrl, 'MUSTER_URL');
  if (before !== undefined && before.url !== url && named === undefined) throw otherServer(before, url);
  // The project belongs to the old server only.
  const project = before?.url === url ? before.project : undefined;
  return { profile: { name, url, project }, isNamed: named !== undefined };
}

function otherServer({ name, url: before }: Profile, url: string): CommandError {
  return new CommandError(
    'usage',
    `The profile '${name}' is for ${before}.`,
    [
      'To keep both, give this one a name. Run:',
      `muster login --url ${quoteForShell(url)} --profile NAME`,
      `To replace it, name it: --profile ${name}`,
    ].join('\n'),
  );
}

const maxTokenBytes = 16_384;

async function readToken(
  terminal: Terminal,
  printer: Printer,
  flags: LoginFlags,
  chosen: Pick<ChosenServer, 'url' | 'profile'>,
): Promise<GivenToken> {
  const { url } = chosen;
  if (flags.withToken === true && flags.token !== undefined) {
    throw new CommandError('usage', '--with-token and --token exclude each other.', 'Leave one out.');
  }
  if (flags.token !== undefined) {
    printer.note(
      'Note: a token on the command line stays in the history of the shell, and other users see it in the list of processes. Prefer --with-token.',
    );
    return { token: requireToken(flags.token, '--token'), source: 'the command line' };
  }
  if (flags.withToken === true) {
    return {
      token: requireToken(await readStandardInput(terminal, maxTokenBytes), 'Standard input'),
      source: 'standard input',
    };
  }
  const found = isLoopback(url) ? await findAdminToken(terminal) : undefined;
  if (found !== undefined) return found;
  if (canPrompt(terminal)) {
    const typed = await askForToken(terminal, `Token for ${url} (not shown):`);
    return { token: requireToken(typed, 'What you typed'), source: 'the prompt' };
  }
  throw new CommandError(
    'usage',
    `There is no token for ${url}: no terminal to ask on, and no admin-token in the data directory.`,
    `Run: ${loginCommand(chosen)} --with-token < FILE`,
  );
}
