import type { RegisterAgent, UpdateAgent } from '@muster/contract';
import { redactArguments, redactKnownSecrets, redactValues } from '@muster/redaction';
import type { AgentDescription } from './agent-store.ts';

/** The complete description at a registration: absent fields are unknown. */
export function describe(input: RegisterAgent) {
  return {
    type: input.type ?? null,
    version: input.version ?? null,
    edition: input.edition ?? null,
    os: input.os ?? null,
    arch: input.arch ?? null,
    flags: JSON.stringify(redactArguments(input.flags ?? [])),
    metadata: writeMetadata(input.metadata ?? {}),
    tags: writeTags(input.tags ?? []),
    fleet_id: input.fleetID ?? null,
  };
}

/** The part of the description that an update contains: absent and null fields stay unchanged. */
export function describeChange(input: UpdateAgent): Partial<AgentDescription> {
  const { name, type, version, edition, os, arch, flags, metadata, tags, fleetID } = input;
  return {
    ...(isGiven(name) ? { name } : {}),
    ...(isGiven(type) ? { type } : {}),
    ...(isGiven(version) ? { version } : {}),
    ...(isGiven(edition) ? { edition } : {}),
    ...(isGiven(os) ? { os } : {}),
    ...(isGiven(arch) ? { arch } : {}),
    ...(isGiven(flags) ? { flags: JSON.stringify(redactArguments(flags)) } : {}),
    ...(isGiven(metadata) ? { metadata: writeMetadata(metadata) } : {}),
    ...(isGiven(tags) ? { tags: writeTags(tags) } : {}),
    ...(isGiven(fleetID) ? { fleet_id: fleetID } : {}),
  };
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
