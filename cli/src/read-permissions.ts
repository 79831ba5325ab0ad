import type { Permission } from '@muster/client';
import { explainInvalidGrant, isGrant, presets } from '@muster/contract';
import { InvalidArgumentError } from 'commander';

export type PresetName = keyof typeof presets;

export const presetNames = Object.keys(presets) as readonly PresetName[]; // keys of a literal object

export interface PermissionFlags {
  readonly preset?: PresetName;
  readonly permission?: readonly Permission[];
}

/** One or more permissions of a flag, with commas between them. @throws InvalidArgumentError */
export function collectPermissions(text: string, before: readonly Permission[] = []): readonly Permission[] {
  const given = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const wrong = given.find((part) => !isGrant(part));
  if (wrong !== undefined) throw new InvalidArgumentError(`${explainInvalidGrant(wrong)}`);
  return [...before, ...given.filter(isGrant)];
}

/** What the preset and the permissions come to together; undefined where neither was given. */
export function permissionsOf({ preset, permission }: PermissionFlags): Permission[] | undefined {
  if (preset === undefined && permission === undefined) return undefined;
  return [...new Set<Permission>([...(preset === undefined ? [] : presets[preset]), ...(permission ?? [])])];
}
