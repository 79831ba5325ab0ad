/**
 * The shape of credentials.
 *
 * access token   `mst_u_` + 43 base62 + 6 base62
 * agent token    `mst_a_` + 43 base62 + 6 base62
 * project token  PAYLOAD `.mst_p_` + 43 base62 + 6 base62
 *
 * The 43 characters are 256 random bits; the last six are the CRC-32 (ISO 3309) of everything before them, so
 * that a mistyped or invented token is refused without a look-up. PAYLOAD is unpadded base64url (RFC 4648
 * section 5) of `{"ProjectID":"…","TokenID":"…"}`: 101 bytes, never a multiple of three, because agents in the
 * field pad it themselves and fail on lengths that need no padding.
 */
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const secretLength = 43;
const checksumLength = 6;

export const credentialKinds = ['access', 'project', 'agent'] as const;

/** Who stands behind a credential: a person or their script, an application of a project, or one agent. */
export type CredentialKind = (typeof credentialKinds)[number];

export const tokenPrefixes = { access: 'mst_u_', project: 'mst_p_', agent: 'mst_a_' } as const;

const body = `[0-9A-Za-z]{${secretLength + checksumLength}}`;

/** Patterns of whole tokens, for secret scanners. */
export const tokenPatterns = {
  access: `${tokenPrefixes.access}${body}`,
  project: `[0-9A-Za-z_-]{135}\\.${tokenPrefixes.project}${body}`,
  agent: `${tokenPrefixes.agent}${body}`,
} as const;

const compiledPatterns = {
  access: new RegExp(`^${tokenPatterns.access}$`),
  project: new RegExp(`^${tokenPatterns.project}$`),
  agent: new RegExp(`^${tokenPatterns.agent}$`),
} as const;

const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';

/** The one spelling that formatProjectToken makes. */
const payloadPattern = new RegExp(`^\\{"ProjectID":"(${uuid})","TokenID":"(${uuid})"\\}$`);

/** What a project token says about itself, readable without the server. */
export interface ProjectTokenPayload {
  readonly projectID: string;
  readonly tokenID: string;
}

/** Builds a token from 32 random bytes. */
export function formatToken(kind: 'access' | 'agent', random: Uint8Array): string {
  return withChecksum(tokenPrefixes[kind] + encodeSecret(random));
}

/** Builds a project token from 32 random bytes and the ids that it carries. */
export function formatProjectToken(payload: ProjectTokenPayload, random: Uint8Array): string {
  const json = JSON.stringify({ ProjectID: payload.projectID, TokenID: payload.tokenID });
  return withChecksum(`${toBase64Url(json)}.${tokenPrefixes.project}${encodeSecret(random)}`);
}

/** True when the text has the shape of that kind and its checksum holds; says nothing about its validity. */
export function isWellFormedToken(kind: CredentialKind, text: string): boolean {
  return compiledPatterns[kind].test(text) && withChecksum(text.slice(0, -checksumLength)) === text;
}

/**
 * Reads the ids out of a project token; undefined when it is not one. Anyone can write a payload and its checksum,
 * so what is answered is nothing but lower-case UUIDs.
 */
export function readProjectToken(text: string): ProjectTokenPayload | undefined {
  if (!isWellFormedToken('project', text)) return undefined;
  const [, projectID, tokenID] = payloadPattern.exec(fromBase64Url(text.slice(0, text.indexOf('.')))) ?? [];
  return projectID === undefined || tokenID === undefined ? undefined : { projectID, tokenID };
}

/** The form in which a token is shown after its creation: its kind and its last four characters. */
export function maskToken(kind: CredentialKind, lastFour: string): string {
  return `${tokenPrefixes[kind]}…${lastFour}`;
}

/** True for a value that was copied from a list instead of from the answer that created it. */
export function isMaskedToken(text: string): boolean {
  return maskPattern.test(text);
}

/** `…` also as a header brings it, since Node reads headers as Latin-1: from UTF-8 and from Windows-1252. */
const maskPattern = /^mst_[pua]_(…|\.\.\.|\u00e2\u0080\u00a6|\u0085)/;

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
