import type { Permission } from '@muster/client';
import { explainInvalidGrant, isGrant, presets } from '@muster/contract';
import { InvalidArgumentError } from 'commander';

export type PresetName = keyof typeof presets;

export const presetNames = Object.keys(presets) as readonly PresetName[]; // keys of a literal object

export interface PermissionFlags {
  readonly preset?: PresetName;
  readonly permission?: readonly Permission[];
}

/** Reads one or more permissions from a flag, separated by commas. @throws InvalidArgumentError */
export function collectPermissions(text: string, before: readonly Permission[] = []): readonly Permission[] {
  const given = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const wrong = given.find((part) => !isGrant(part));
  if (wrong !== undefined) throw new InvalidArgumentError(`${explainInvalidGrant(wrong)}`);
  return [...before, ...given.filter(isGrant)];
}

/** The combined permissions of the preset and the flags; undefined if neither was given. */
export function permissionsOf({ preset, permission }: PermissionFlags): Permission[] | undefined {
  if (preset === undefined && permission === undefined) return undefined;
  return [...new Set<Permission>([...(preset === undefined ? [] : presets[preset]), ...(permission ?? [])])];
}
