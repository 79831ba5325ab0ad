import { allows, type Grant, presets } from '@muster/contract';

/** What a token is for: a preset of the contract, or chosen permissions. */
export const tokenPurposes = ['agent', 'viewer', 'operator', 'custom'] as const;
export type TokenPurpose = (typeof tokenPurposes)[number];

/** The permissions of a purpose; of `custom`, the chosen ones. */
export function grantsOfPurpose(purpose: TokenPurpose, chosen: readonly Grant[]): readonly Grant[] {
  return purpose === 'custom' ? chosen : presets[purpose];
}

/** True if somebody with these grants may create a token for the purpose. */
export function mayGrant(held: readonly Grant[], purpose: TokenPurpose): boolean {
  return purpose === 'custom' || presets[purpose].every((grant) => allows(held, grant));
}

/** The preset that has exactly these permissions. */
export function purposeOf(permissions: readonly string[]): TokenPurpose {
  const wanted = [...permissions].sort().join();
  const found = tokenPurposes.find((one) => one !== 'custom' && [...presets[one]].sort().join() === wanted);
  return found ?? 'custom';
}
