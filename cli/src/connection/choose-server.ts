import { CommandError } from '../command-error.ts';
import {
  defaultProfileName,
  type Profile,
  ProfileStore,
  requireProfileName,
} from '../profiles/profile-store.ts';
import { quoteForShell } from '../quote-for-shell.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { requireToken } from './credential.ts';
import { localUrl, readServerUrl } from './server-url.ts';

/** Which server a command talks to, and as whom. */
export interface ChosenServer {
  readonly url: string;
  /** Undefined: nobody is signed in there. */
  readonly token: string | undefined;
  /** Undefined where the environment chose. */
  readonly profile: Profile | undefined;
}

/**
 * `--profile` wins over the environment, and that over the profile in use. The token of a profile is sent to the url of
 * that profile and to no other, so `MUSTER_URL` alone finds the profile that is for that url.
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
  if (token !== undefined) return { url: url ?? profile?.url ?? localUrl, token, profile: undefined };
  if (profile !== undefined) return withToken(profiles, profile);
  return { url: url ?? localUrl, token: undefined, profile: undefined };
}

/**
 * The profile in use; with a url, the one in use or else any other that is for it.
 *
 * @param givenName of MUSTER_PROFILE; empty where it is not set
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

/** @throws CommandError that names those that there are */
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
