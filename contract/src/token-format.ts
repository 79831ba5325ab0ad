/**
 * The shape of credentials.
 *
 * access token   `mst_u_` + 43 base62 + 6 base62
 * agent token    `mst_a_` + 43 base62 + 6 base62
 * core instance  `mst_c_` + 43 base62 + 6 base62
 * project token  PAYLOAD `.mst_p_` + 43 base62 + 6 base62
 * session        `mst_s_` + 43 base62 + 6 base62; only in the cookie of a browser
 * sign-in link   `mst_l_` + 43 base62 + 6 base62; it is no credential of a request
 * invitation     `mst_i_` + 43 base62 + 6 base62; it is no credential of a request
 *
 * The 43 characters are 256 random bits; the last six are the CRC-32 (ISO 3309) of everything before them, so
 * that a mistyped or invented token is refused without a look-up. PAYLOAD is unpadded base64url (RFC 4648
 * section 5) of `{"ProjectID":"…","TokenID":"…"}`. It has 101 bytes, which is not a multiple of three: existing
 * agents always add padding and fail on lengths that need none.
 */
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const secretLength = 43;
const checksumLength = 6;

export const credentialKinds = ['access', 'project', 'agent', 'core_instance'] as const;

/** The owner of a credential: a person or their script, an application of a project, one agent, or a Muster at a site. */
export type CredentialKind = (typeof credentialKinds)[number];

export const tokenPrefixes = {
  access: 'mst_u_',
  project: 'mst_p_',
  agent: 'mst_a_',
  core_instance: 'mst_c_',
} as const;

const body = `[0-9A-Za-z]{${secretLength + checksumLength}}`;

/** Patterns of whole tokens, for secret scanners. */
export const tokenPatterns = {
  access: `${tokenPrefixes.access}${body}`,
  project: `[0-9A-Za-z_-]{135}\\.${tokenPrefixes.project}${body}`,
  agent: `${tokenPrefixes.agent}${body}`,
  core_instance: `${tokenPrefixes.core_instance}${body}`,
} as const;

const compiledPatterns = {
  access: new RegExp(`^${tokenPatterns.access}$`),
  project: new RegExp(`^${tokenPatterns.project}$`),
  agent: new RegExp(`^${tokenPatterns.agent}$`),
  core_instance: new RegExp(`^${tokenPatterns.core_instance}$`),
} as const;

/** Prefixes of secrets that no header carries. */
const otherPrefixes = { invitation: 'mst_i_', session: 'mst_s_', signInLink: 'mst_l_' } as const;

const otherPatterns = {
  invitation: new RegExp(`^${otherPrefixes.invitation}${body}$`),
  session: new RegExp(`^${otherPrefixes.session}${body}$`),
  signInLink: new RegExp(`^${otherPrefixes.signInLink}${body}$`),
} as const;

const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';

const uuidv7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** The only form that formatProjectToken produces. */
const payloadPattern = new RegExp(`^\\{"ProjectID":"(${uuid})","TokenID":"(${uuid})"\\}$`);

/** The ids that a project token carries, readable without the server. */
export interface ProjectTokenPayload {
  readonly projectID: string;
  readonly tokenID: string;
}

/** Builds a token from 32 random bytes. */
export function formatToken(kind: Exclude<CredentialKind, 'project'>, random: Uint8Array): string {
  return withChecksum(tokenPrefixes[kind] + encodeSecret(random));
}

/** Builds the code of an invitation from 32 random bytes. */
export function formatInvitationCode(random: Uint8Array): string {
  return withChecksum(otherPrefixes.invitation + encodeSecret(random));
}

/** True when the text has the form of the code of an invitation and its checksum is correct. */
export function isWellFormedInvitationCode(text: string): boolean {
  return isWellFormedOther('invitation', text);
}

/** Builds the secret of a session or of a sign-in link from 32 random bytes. */
export function formatSignInSecret(kind: 'session' | 'signInLink', random: Uint8Array): string {
  return withChecksum(otherPrefixes[kind] + encodeSecret(random));
}

/** True when the text has the form of such a secret and its checksum is correct. */
export function isWellFormedSignInSecret(kind: 'session' | 'signInLink', text: string): boolean {
  return isWellFormedOther(kind, text);
}

function isWellFormedOther(kind: keyof typeof otherPrefixes, text: string): boolean {
  return otherPatterns[kind].test(text) && withChecksum(text.slice(0, -checksumLength)) === text;
}

/** Builds a project token from 32 random bytes and the ids that it carries. */
export function formatProjectToken(payload: ProjectTokenPayload, random: Uint8Array): string {
  const json = JSON.stringify({ ProjectID: payload.projectID, TokenID: payload.tokenID });
  return withChecksum(`${toBase64Url(json)}.${tokenPrefixes.project}${encodeSecret(random)}`);
}

/** True when the text has the form of that kind and its checksum is correct. The token may still be unknown or revoked. */
export function isWellFormedToken(kind: CredentialKind, text: string): boolean {
  return compiledPatterns[kind].test(text) && withChecksum(text.slice(0, -checksumLength)) === text;
}

/**
 * Reads the ids from a project token; undefined when the text is not one. Anyone can write a payload with a correct
 * checksum, so only lower-case UUIDs are returned.
 */
export function readProjectToken(text: string): ProjectTokenPayload | undefined {
  if (!isWellFormedToken('project', text)) return undefined;
  const [, projectID, tokenID] = payloadPattern.exec(fromBase64Url(text.slice(0, text.indexOf('.')))) ?? [];
  return projectID === undefined || tokenID === undefined ? undefined : { projectID, tokenID };
}

/** True for a project token whose ids are UUIDv7, as this service makes them: lists are in the order of ids. */
export function isProvisionableToken(text: string): boolean {
  const ids = readProjectToken(text);
  return ids !== undefined && uuidv7.test(ids.projectID) && uuidv7.test(ids.tokenID);
}

/** The form in which a token is shown after its creation: the prefix of its kind and its last four characters. */
export function maskToken(kind: CredentialKind, lastFour: string): string {
  return `${tokenPrefixes[kind]}…${lastFour}`;
}

/** True for a masked value, which was copied from a list instead of from the answer that created the token. */
export function isMaskedToken(text: string): boolean {
  return maskPattern.test(text);
}

/** The forms of `…` in a header, which Node reads as Latin-1: sent as UTF-8 and as Windows-1252. */
const maskPattern = /^mst_[puac]_(…|\.\.\.|\u00e2\u0080\u00a6|\u0085)/;

function withChecksum(text: string): string {
  return text + encodeBase62(BigInt(crc32(text)), checksumLength);
}

function encodeSecret(random: Uint8Array): string {
  if (random.length !== 32) throw new RangeError('a token takes 32 random bytes');
  let value = 0n;
  for (const byte of random) value = (value << 8n) | BigInt(byte);
  return encodeBase62(value, secretLength);
}

function encodeBase62(value: bigint, length: number): string {
  let rest = value;
  let text = '';
  while (text.length < length) {
    text = alphabet.charAt(Number(rest % 62n)) + text;
    rest /= 62n;
  }
  return text;
}

/** CRC-32 (ISO 3309, reflected polynomial 0xEDB88320) of an ASCII text, as an unsigned number. */
function crc32(text: string): number {
  let crc = 0xffffffff;
  for (let index = 0; index < text.length; index += 1) {
    crc ^= text.charCodeAt(index);
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}

function toBase64Url(ascii: string): string {
  return btoa(ascii).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function fromBase64Url(text: string): string {
  return atob(text.replaceAll('-', '+').replaceAll('_', '/'));
}
