import { type CredentialKind, findTokens, isMaskedToken, tokenPrefixes } from '@muster/contract';
import { Refusal } from '../refusal.ts';

export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

type Presented = Partial<Record<CredentialKind, string>>;

const headerNames: Readonly<Record<CredentialKind, string>> = {
  access: 'Authorization: Bearer',
  project: 'X-Project-Token',
  agent: 'X-Agent-Token',
  core_instance: 'X-Core-Instance-Token',
};

/** The credentials of a request by their kind. */
export function presentedCredentials(headers: Headers): Presented {
  const presented: Presented = {};
  const bearer = readBearer(headers.authorization);
  if (bearer !== undefined) presented[kindOfBearer(bearer)] = bearer;
  const project = single(headers['x-project-token']);
  if (project !== undefined) presented.project = project;
  const agent = single(headers['x-agent-token']);
  if (agent !== undefined) presented.agent = agent;
  const coreInstance = single(headers['x-core-instance-token']) ?? single(headers['x-aggregator-token']);
  if (coreInstance !== undefined) presented.core_instance = coreInstance;
  return presented;
}

/** RFC 6750 section 2.1; the scheme's name is case-insensitive (RFC 9110 section 11.1). */
function readBearer(header: string | readonly string[] | undefined): string | undefined {
  const match = /^bearer +(\S+) *$/i.exec(single(header) ?? '');
  return match?.[1];
}

function kindOfBearer(value: string): CredentialKind {
  if (value.startsWith(tokenPrefixes.core_instance)) return 'core_instance';
  return value.includes(`.${tokenPrefixes.project}`) || value.startsWith(tokenPrefixes.project)
    ? 'project'
    : 'access';
}

function single(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'string' && header !== '' ? header : undefined;
}

/** Of the presented credentials, the first of a listed kind. @throws Refusal masked_credential */
export function chooseCredential(
  kinds: readonly CredentialKind[],
  presented: Presented,
): { readonly kind: CredentialKind; readonly value: string } | undefined {
  for (const kind of kinds) {
    const value = presented[kind];
    if (value === undefined) continue;
    if (isMaskedToken(value)) throw new Refusal('masked_credential');
    return { kind, value };
  }
  return undefined;
}

/** The refusal of a request that presents none of the listed kinds. */
export function noAcceptedCredential(kinds: readonly CredentialKind[], presented: Presented): Refusal {
  const taken = kinds.map((kind) => headerNames[kind]).join(' or ');
  return Object.keys(presented).length > 0
    ? new Refusal('credential_kind_not_accepted', { detail: `This route takes ${taken}.` })
    : new Refusal('missing_credential', { detail: `Send a credential as ${taken}.` });
}

const queryNames = new Set([
  'token',
  'access_token',
  'project_token',
  'agent_token',
  'core_instance_token',
  'aggregator_token',
  'api_key',
  'apikey',
]);

/** @throws Refusal credential_in_query */
export function refuseCredentialInQuery(query: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(query)) {
    const values = (Array.isArray(value) ? value : [value]).map(String);
    if (queryNames.has(name.toLowerCase()) || holdsToken(name) || values.some(holdsToken)) {
      throw new Refusal('credential_in_query', {
        detail: `The query parameter '${holdsToken(name) ? '[secret]' : name}' carries a credential. Send it in a header instead (${Object.values(headerNames).join(', ')}) and revoke this one: URLs end up in logs and histories.`,
      });
    }
  }
}

/** True if a text contains a token anywhere, such as `Bearer mst_u_…` or a URL. */
function holdsToken(text: string): boolean {
  for (const { kind } of findTokens(text)) if (kind in headerNames) return true;
  return false;
}
