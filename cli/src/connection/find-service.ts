import { quoteForShell } from '@muster/contract';
import type { FoundService } from '@muster/report';
import { CommandError } from '../command-error.ts';
import { type Profile, ProfileStore } from '../profiles/profile-store.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { findProfile, requireProfile } from './choose-server.ts';
import { isAccessTokenOfOurs, kindOfToken } from './credential.ts';
import { tokenFileReader } from './read-token-file.ts';
import { readServerUrl } from './server-url.ts';

/** The flags and the environment that determine where reports go and which token they use. */
export interface ServiceChoice extends Pick<Terminal, 'env' | 'homeDirectory'> {
  /** --url */
  readonly url: string | undefined;
  /** --profile */
  readonly profile: string | undefined;
  readonly tokenFile: string | undefined;
}

/**
 * Finds the service in the flags, otherwise in the environment, otherwise in a profile, and a project token for it. The
 * token of a person, with which most profiles are signed in, is neither sent nor stored: it must not be on the host of
 * an agent.
 *
 * @throws CommandError that says what is missing and what to do
 */
export async function findService(choice: ServiceChoice): Promise<FoundService> {
  const { url, profile, profiles } = await findServer(choice);
  const { MUSTER_TOKEN: value = '' } = choice.env;
  if (choice.tokenFile !== undefined) return { url, readToken: readerOfFile(choice.tokenFile) };
  // As in all commands, a named profile overrides the environment.
  const isChosen = choice.profile !== undefined;
  const isProfileFirst = isChosen && profile !== undefined && (await holdsProjectToken(profiles, profile));
  if (value !== '' && !isProfileFirst && (!isChosen || isForUrl(choice, url))) {
    const token = requireProjectToken(value.trim(), 'MUSTER_TOKEN', undefined);
    return { url, readToken: () => Promise.resolve(token) };
  }
  if (profile === undefined) {
    throw noToken(`there is no project token for ${url}: neither in --token-file nor in MUSTER_TOKEN.`);
  }
  const readToken = async () => readFromProfile(profiles, profile);
  await readToken();
  return { url, readToken };
}

interface FoundServer {
  readonly url: string;
  /** Read only if it is needed. */
  readonly profile: Profile | undefined;
  readonly profiles: ProfileStore;
}

async function findServer(choice: ServiceChoice): Promise<FoundServer> {
  const profiles = new ProfileStore(choice);
  if (choice.profile !== undefined) {
    const profile = await requireProfile(profiles, choice.profile);
    return { url: profile.url, profile, profiles };
  }
  const { MUSTER_TOKEN: token = '', MUSTER_PROFILE: name = '' } = choice.env;
  const given = choice.url === undefined ? urlOfEnvironment(choice) : readServerUrl(choice.url, '--url');
  const hasToken = choice.tokenFile !== undefined || token !== '';
  const profile = given !== undefined && hasToken ? undefined : await findProfile(profiles, name, given);
  const url = given ?? profile?.url;
  if (url !== undefined) return { url, profile, profiles };
  throw new CommandError(
    'usage',
    'no server is named: neither by --url, nor by MUSTER_URL, nor by a profile.',
    'Give --url, or make a profile. Run: muster login --url URL',
  );
}

function urlOfEnvironment({ env: { MUSTER_URL: url = '' } }: ServiceChoice): string | undefined {
  return url === '' ? undefined : readServerUrl(url, 'MUSTER_URL');
}

/** The token of the environment is sent only to the server of the environment. */
function isForUrl(choice: ServiceChoice, url: string): boolean {
  const beside = urlOfEnvironment(choice);
  return beside === undefined || beside === url;
}

function readerOfFile(file: string): () => Promise<string> {
  const read = tokenFileReader(file);
  return async () => requireProjectToken(await read(), file, undefined);
}

async function holdsProjectToken(profiles: ProfileStore, profile: Profile): Promise<boolean> {
  const token = await profiles.findToken(profile);
  return token !== undefined && kindOfToken(token) === 'project';
}

async function readFromProfile(profiles: ProfileStore, profile: Profile): Promise<string> {
  const token = await profiles.findToken(profile);
  if (token === undefined) throw noToken(`the profile '${profile.name}' holds no token.`, profile);
  const holder = `the profile '${profile.name}'`;
  // A token without Muster's format is an access token of an operator or an identity provider.
  if (kindOfToken(token) === 'access') throw accessToken(holder, profile);
  return requireProjectToken(token, holder, profile);
}

/** A token without Muster's format is sent to the service, which says what is wrong with it. */
function requireProjectToken(token: string, holder: string, profile: Profile | undefined): string {
  if (isAccessTokenOfOurs(token)) throw accessToken(holder, profile);
  if (kindOfToken(token) !== 'agent') return token;
  throw noToken(
    `${holder} holds the token of one agent, but registering one takes a project token.`,
    profile,
  );
}

function accessToken(holder: string, profile: Profile | undefined): CommandError {
  const message = `${holder} holds the access token of a person, but registering an agent takes a project token.`;
  return noToken(message, profile);
}

/** The reason in one sentence, and the commands that fix it. */
function noToken(message: string, profile?: Profile): CommandError {
  const flag = profile === undefined ? '' : ` --profile ${quoteForShell(profile.name)}`;
  const command = `(umask 077; muster token create agents --preset agent${flag} --quiet > agent-token)`;
  return new CommandError(
    'notSignedIn',
    message,
    `To make one, run: ${command}\nThen add to this command: --token-file agent-token`,
  );
}
