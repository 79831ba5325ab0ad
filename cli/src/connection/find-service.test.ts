import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatProjectToken, formatToken } from '@muster/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ProfileStore } from '../profiles/profile-store.ts';
import { findService, type ServiceChoice } from './find-service.ts';

const url = 'https://muster.example.com';
const elsewhere = 'https://elsewhere.example.com';
const ids = {
  projectID: '0192f0a0-0000-7000-8000-000000000000',
  tokenID: '0192f0a0-0000-7000-8000-000000000001',
};
const [projectToken, otherProjectToken] = [1, 2].map((byte) =>
  formatProjectToken(ids, new Uint8Array(32).fill(byte)),
) as [string, string]; // two elements
const personal = formatToken('access', new Uint8Array(32));
const ofAgent = formatToken('agent', new Uint8Array(32));

let home = '';
let profiles: ProfileStore;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'muster-find-'));
  profiles = new ProfileStore({ env: {}, homeDirectory: home });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

async function signIn(name: string, to: string, token: string | undefined): Promise<void> {
  const profile = { name, url: to, project: undefined };
  await profiles.write(profile);
  if (token !== undefined) await profiles.writeToken(profile, token);
}

interface Given extends Partial<Pick<ServiceChoice, 'url' | 'profile' | 'tokenFile'>> {
  readonly env?: Readonly<Record<string, string>>;
}

async function find({ url, profile, tokenFile, env = {} }: Given): Promise<[url: string, token: string]> {
  const found = await findService({ url, profile, tokenFile, env, homeDirectory: home });
  return [found.url, await found.readToken()];
}

function writeTokenFile(token: string): string {
  const file = join(home, 'token');
  writeFileSync(file, `${token}\n`);
  return file;
}

const makeOne = (flag = '') => [
  `To make one, run: (umask 077; muster token create agents --preset agent${flag} --quiet > agent-token)`,
  'Then add to this command: --token-file agent-token',
];

async function failureOf(given: Given): Promise<string[]> {
  const error: unknown = await find(given).catch((reason: unknown) => reason);
  if (!(error instanceof Error) || !('mend' in error))
    throw new Error(`found, or failed otherwise: ${error}`);
  return [error.message, ...String(error.mend).split('\n')];
}

describe('the server that receives reports', () => {
  it('comes from --url, otherwise MUSTER_URL, otherwise the current profile', async () => {
    await signIn('default', 'http://127.0.0.1:7400', projectToken);
    const env = { MUSTER_TOKEN: otherProjectToken };
    expect(await find({ env })).toEqual(['http://127.0.0.1:7400', otherProjectToken]);
    const withUrl = { ...env, MUSTER_URL: elsewhere };
    expect(await find({ env: withUrl })).toEqual([elsewhere, otherProjectToken]);
    expect(await find({ env: withUrl, url: 'muster.example.com/' })).toEqual([url, otherProjectToken]);
  });

  it('comes from the profile that muster profile use, MUSTER_PROFILE or --profile selected', async () => {
    await signIn('default', 'https://first.example.com', projectToken);
    await signIn('second', 'https://second.example.com', projectToken);
    await signIn('third', 'https://third.example.com', projectToken);
    await signIn('fourth', 'https://fourth.example.com', projectToken);
    expect(await find({})).toEqual(['https://first.example.com', projectToken]);
    await profiles.writeCurrentName('second');
    expect(await find({})).toEqual(['https://second.example.com', projectToken]);
    const env = { MUSTER_PROFILE: 'third' };
    expect(await find({ env })).toEqual(['https://third.example.com', projectToken]);
    const all = { ...env, MUSTER_URL: elsewhere };
    expect(await find({ env: all, profile: 'fourth' })).toEqual(['https://fourth.example.com', projectToken]);
  });

  it('is missing: the message says so', async () => {
    expect(await failureOf({ env: { MUSTER_TOKEN: projectToken, MUSTER_URL: '' } })).toEqual([
      'no server is named: neither by --url, nor by MUSTER_URL, nor by a profile.',
      'Give --url, or make a profile. Run: muster login --url URL',
    ]);
  });

  it('needs no profile if server and token are given, whatever profiles exist', async () => {
    await signIn('default', url, projectToken);
    writeFileSync(join(home, '.config', 'muster', 'config.json'), '{');
    chmodSync(join(home, '.config', 'muster', 'credentials', 'default.json'), 0o644);
    const env = { MUSTER_URL: elsewhere, MUSTER_TOKEN: otherProjectToken, MUSTER_PROFILE: 'missing' };
    expect(await find({ env })).toEqual([elsewhere, otherProjectToken]);
    expect(await failureOf({})).toEqual([
      `${join(home, '.config', 'muster', 'config.json')} is not valid JSON.`,
      expect.stringMatching(/^Correct it, or remove it and sign in again: rm /),
    ]);
  });

  it.each([
    [{ url: 'nonsense://x' }, '--url is'],
    [{ env: { MUSTER_URL: 'http://user:password@host' } }, 'MUSTER_URL has a user'],
  ])('is refused if %j is not an address', async (given, message) => {
    await expect(find(given)).rejects.toThrow(message);
  });

  it('is refused for an unknown profile with a list of the existing ones', async () => {
    await signIn('default', url, projectToken);
    for (const given of [{ profile: 'edge' }, { env: { MUSTER_PROFILE: 'edge' } }]) {
      expect(await failureOf(given)).toEqual([
        "There is no profile 'edge'. There are: default.",
        'To make it, run: muster login --profile edge --url URL',
      ]);
    }
  });
});

describe('the token for registering an agent', () => {
  it('comes from --token-file, otherwise MUSTER_TOKEN, otherwise a project token of the profile', async () => {
    await signIn('default', url, projectToken);
    const env = { MUSTER_TOKEN: otherProjectToken };
    expect(await find({})).toEqual([url, projectToken]);
    expect(await find({ env })).toEqual([url, otherProjectToken]);
    expect(await find({ env, tokenFile: writeTokenFile(projectToken) })).toEqual([url, projectToken]);
  });

  it('comes from the profile for the same server if only the address is given', async () => {
    await signIn('default', elsewhere, otherProjectToken);
    await signIn('edge', url, projectToken);
    expect(await find({ url })).toEqual([url, projectToken]);
    expect(await find({ env: { MUSTER_URL: `${url}/` } })).toEqual([url, projectToken]);
    expect(await failureOf({ url: 'https://third.example.com' })).toEqual([
      'there is no project token for https://third.example.com: neither in --token-file nor in MUSTER_TOKEN.',
      ...makeOne(),
    ]);
  });

  it('comes from --profile, or from MUSTER_TOKEN if the profile has the token of a person', async () => {
    await signIn('default', url, personal);
    await signIn('edge', url, projectToken);
    const env = { MUSTER_TOKEN: otherProjectToken };
    expect(await find({ env, profile: 'edge' })).toEqual([url, projectToken]);
    expect(await find({ env, profile: 'default' })).toEqual([url, otherProjectToken]);
    expect(await find({ env: { ...env, MUSTER_URL: url }, profile: 'default' })).toEqual([
      url,
      otherProjectToken,
    ]);
  });

  it('is not taken from MUSTER_TOKEN if that belongs to another server', async () => {
    await signIn('default', url, personal);
    const env = { MUSTER_TOKEN: otherProjectToken, MUSTER_URL: elsewhere };
    expect(await failureOf({ env, profile: 'default' })).toEqual([
      "the profile 'default' holds the access token of a person, but registering an agent takes a project token.",
      ...makeOne(' --profile default'),
    ]);
  });

  it.each([
    ['an access token', personal],
    ['a token of the operator or of an identity provider', 'chosen-by-the-operator-of-this-server'],
  ])('is never the token of a person in a profile: %s', async (_, token) => {
    await signIn('default', url, token);
    expect(await failureOf({})).toEqual([
      "the profile 'default' holds the access token of a person, but registering an agent takes a project token.",
      ...makeOne(' --profile default'),
    ]);
  });

  it('is never the token of a person or an agent in MUSTER_TOKEN or a file', async () => {
    const person = 'holds the access token of a person, but registering an agent takes a project token.';
    const agent = 'holds the token of one agent, but registering one takes a project token.';
    expect(await failureOf({ url, env: { MUSTER_TOKEN: personal } })).toEqual([
      `MUSTER_TOKEN ${person}`,
      ...makeOne(),
    ]);
    expect(await failureOf({ url, env: { MUSTER_TOKEN: ofAgent } })).toEqual([
      `MUSTER_TOKEN ${agent}`,
      ...makeOne(),
    ]);
    const tokenFile = writeTokenFile(personal);
    expect(await failureOf({ url, tokenFile })).toEqual([`${tokenFile} ${person}`, ...makeOne()]);
    await signIn('agent', url, ofAgent);
    expect(await failureOf({ profile: 'agent' })).toEqual([
      `the profile 'agent' ${agent}`,
      ...makeOne(' --profile agent'),
    ]);
  });

  it('is checked by the service if its format is unknown', async () => {
    expect(await find({ url, env: { MUSTER_TOKEN: ' wrong ' } })).toEqual([url, 'wrong']);
    expect(await find({ url, tokenFile: writeTokenFile('wrong') })).toEqual([url, 'wrong']);
  });

  it('is missing in a profile that is signed out or whose token is for another server', async () => {
    await signIn('default', url, undefined);
    const missing = ["the profile 'default' holds no token.", ...makeOne(' --profile default')];
    expect(await failureOf({})).toEqual(missing);
    await profiles.writeToken({ name: 'default', url: elsewhere, project: undefined }, projectToken);
    expect(await failureOf({})).toEqual(missing);
  });

  it('is not used if other users can read it', async () => {
    await signIn('default', url, projectToken);
    const file = join(home, '.config', 'muster', 'credentials', 'default.json');
    chmodSync(file, 0o644);
    expect(await failureOf({})).toEqual([
      `${file} holds a secret, but other users of this machine can open it (mode 0644), so it is not used.`,
      `Run: chmod 600 ${file}`,
      'If others may have read it, revoke that token and sign in with a new one.',
    ]);
  });

  it('is read again each time, from a file and from a profile', async () => {
    await signIn('default', url, projectToken);
    const tokenFile = join(home, 'not-there-yet');
    const [ofFile, ofProfile] = await Promise.all([
      findService({ url, profile: undefined, tokenFile, env: {}, homeDirectory: home }),
      findService({ url, profile: undefined, tokenFile: undefined, env: {}, homeDirectory: home }),
    ]);
    await expect(ofFile.readToken()).rejects.toThrow('ENOENT');
    writeFileSync(tokenFile, otherProjectToken);
    await signIn('default', url, otherProjectToken);
    expect([await ofFile.readToken(), await ofProfile.readToken()]).toEqual([
      otherProjectToken,
      otherProjectToken,
    ]);
    await signIn('default', url, personal);
    await expect(ofProfile.readToken()).rejects.toThrow('the access token of a person');
  });
});
