import { quoteForShell } from '@muster/contract';
import { CommandError } from '../command-error.ts';
import {
  defaultProfileName,
  type Profile,
  ProfileStore,
  requireProfileName,
} from '../profiles/profile-store.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { requireToken } from './credential.ts';
import { findLocalServer } from './local-server.ts';
import { localUrl, readServerUrl } from './server-url.ts';

/** The server that a command talks to, and the credential. */
export interface ChosenServer {
  readonly url: string;
  /** Undefined if the user is not signed in. */
  readonly token: string | undefined;
  /** Undefined if the environment determined the server. */
  readonly profile: Profile | undefined;
}

/**
 * `--profile` overrides the environment, and the environment overrides the current profile. The token of a profile is
 * sent only to the url of that profile, so `MUSTER_URL` alone selects the profile that is for that url. Without any, it is
 * the server that `muster login` would sign in to.
 */
export async function chooseServer(
  terminal: Terminal,
  profileFlag: string | undefined,
): Promise<ChosenServer> {
  const profiles = new ProfileStore(terminal);
  if (profileFlag !== undefined) return withToken(profiles, await requireProfile(profiles, profileFlag));
  const {
    MUSTER_URL: givenUrl = '',
    MUSTER_TOKEN: givenToken = '',
    MUSTER_PROFILE: givenProfile = '',
  } = terminal.env;
  const url = givenUrl === '' ? undefined : readServerUrl(givenUrl, 'MUSTER_URL');
  const token = givenToken === '' ? undefined : requireToken(givenToken, 'MUSTER_TOKEN');
  if (url !== undefined && token !== undefined) return { url, token, profile: undefined };
  const profile = await findProfile(profiles, givenProfile, url);
  if (token === undefined && profile !== undefined) return withToken(profiles, profile);
  const here = url ?? profile?.url ?? (await findLocalServer(terminal)) ?? localUrl;
  return { url: here, token, profile: undefined };
}

/** The server of a link that somebody sent. What is signed in elsewhere is not sent there. */
export async function chooseServerOfLink(terminal: Terminal, url: string): Promise<ChosenServer> {
  const chosen = await chooseServer(terminal, undefined);
  if (chosen.url === url) return chosen;
  const profiles = new ProfileStore(terminal);
  const profile = await findProfile(profiles, '', url);
  return profile === undefined ? { url, token: undefined, profile: undefined } : withToken(profiles, profile);
}

/**
 * The current profile. With a url: the current profile if it is for that url, otherwise any other that is for it.
 *
 * @param givenName value of MUSTER_PROFILE; empty if it is not set
 */
export async function findProfile(
  profiles: ProfileStore,
  givenName: string,
  url: string | undefined,
): Promise<Profile | undefined> {
  const inUse =
    givenName === ''
      ? await profiles.find((await profiles.readCurrentName()) ?? defaultProfileName)
      : await requireProfile(profiles, givenName);
  if (url === undefined || inUse?.url === url) return inUse;
  return (await profiles.list()).find((profile) => profile.url === url);
}

/** @throws CommandError that lists the existing profiles */
export async function requireProfile(profiles: ProfileStore, name: string): Promise<Profile> {
  const profile = await profiles.find(requireProfileName(name));
  if (profile !== undefined) return profile;
  const names = (await profiles.list()).map((one) => one.name);
  const others = names.length === 0 ? 'There is none yet.' : `There are: ${names.join(', ')}.`;
  throw new CommandError(
    'notFound',
    `There is no profile '${name}'. ${others}`,
    `To make it, run: muster login --profile ${quoteForShell(name)} --url URL`,
  );
}

async function withToken(profiles: ProfileStore, profile: Profile): Promise<ChosenServer> {
  return { url: profile.url, token: await profiles.findToken(profile), profile };
}
