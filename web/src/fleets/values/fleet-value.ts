import type { FleetSecret, FleetVariable } from '@muster/client';

/** What a name in configurations of a fleet stands for. */
export type FleetValue = FleetVariable | FleetSecret;

/** Undefined: it is a secret. */
export function variableOf(value: FleetValue): FleetVariable | undefined {
  return 'value' in value ? value : undefined;
}

export type Scope = 'vars' | 'secrets';

export function scopeOf(value: FleetValue): Scope {
  return 'value' in value ? 'vars' : 'secrets';
}

/** As configurations write it. */
export function writtenAs(value: FleetValue): string {
  return written(scopeOf(value), value.name);
}

export function written(scope: Scope, name: string): string {
  return `{{${scope}.${name}}}`;
}

/** Whom it is for. */
export type Subject = 'fleet' | 'tag' | 'agent';

export function subjectOf(value: FleetValue): Subject {
  if (!('value' in value)) return 'fleet';
  return value.tag !== null ? 'tag' : value.agentID !== null ? 'agent' : 'fleet';
}
