import type { RegisterAgent, UpdateAgent } from '@muster/contract';
import { redactArguments, redactKnownSecrets, redactValues } from '@muster/redaction';
import type { ProjectTokenPrincipal } from '../../foundation/credentials/principal.ts';
import type { AgentDescription } from './agent-store.ts';

/** The complete description at a registration: absent fields are unknown. */
function describe(input: RegisterAgent) {
  return {
    name: redactKnownSecrets(input.name),
    type: readText(input.type),
    version: readText(input.version),
    edition: readText(input.edition),
    os: readText(input.os),
    arch: readText(input.arch),
    flags: JSON.stringify(redactArguments(input.flags ?? [])),
    metadata: writeMetadata(input.metadata ?? {}),
    tags: writeTags(input.tags ?? []),
    fleet_id: readText(input.fleetID),
  };
}

/** The part of the description that an update contains: absent and null fields stay unchanged. */
export function describeChange(input: UpdateAgent): Partial<AgentDescription> {
  const { name, type, version, edition, os, arch, flags, metadata, tags, fleetID } = input;
  return {
    ...(isGiven(name) ? { name: redactKnownSecrets(name) } : {}),
    ...(isGiven(type) ? { type: redactKnownSecrets(type) } : {}),
    ...(isGiven(version) ? { version: redactKnownSecrets(version) } : {}),
    ...(isGiven(edition) ? { edition: redactKnownSecrets(edition) } : {}),
    ...(isGiven(os) ? { os: redactKnownSecrets(os) } : {}),
    ...(isGiven(arch) ? { arch: redactKnownSecrets(arch) } : {}),
    ...(isGiven(flags) ? { flags: JSON.stringify(redactArguments(flags)) } : {}),
    ...(isGiven(metadata) ? { metadata: writeMetadata(metadata) } : {}),
    ...(isGiven(tags) ? { tags: writeTags(tags) } : {}),
    ...(isGiven(fleetID) ? { fleet_id: redactKnownSecrets(fleetID) } : {}),
  };
}

function readText(text: string | null | undefined): string | null {
  return isGiven(text) ? redactKnownSecrets(text) : null;
}

export function isGiven<Value>(value: Value | null | undefined): value is Value {
  return value !== undefined && value !== null;
}

function writeMetadata(metadata: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(redactValues(metadata));
}

/** Keeps tags unchanged, because people search for them. */
function writeTags(tags: readonly string[]): string {
  return JSON.stringify(tags.map((tag) => redactKnownSecrets(tag)));
}

/** Absent fields that an operator may have set stay unchanged. */
export function describeRegistration(input: RegisterAgent) {
  const { flags, tags, ...described } = describe(input);
  return {
    ...described,
    ...(isGiven(input.flags) ? { flags } : {}),
    ...(isGiven(input.tags) ? { tags } : {}),
  };
}

/** An agent that was never heard before. */
export function newAgentRow(
  input: RegisterAgent,
  { projectID, tokenID }: Pick<ProjectTokenPrincipal, 'projectID' | 'tokenID'>,
  id: string,
  now: number,
) {
  return {
    ...describe(input),
    id,
    project_id: projectID,
    machine_id: input.machineID,
    registered_with: tokenID,
    epoch: 1,
    config_id: null,
    config_digest: null,
    created_at: now,
    updated_at: now,
    last_seen_at: now,
    deleted_at: null,
  };
}
