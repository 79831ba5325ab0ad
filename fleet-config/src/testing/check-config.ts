import type { Finding } from '../finding.ts';
import { fluentBitSchema } from '../schema/fluent-bit-schema.ts';
import { type FleetConfig, validateFleetConfig } from '../validate-fleet-config.ts';

/** What is found in a configuration, of the classic format unless something else is given. */
export function check(rawConfig: string, rest: Partial<FleetConfig> = {}): Finding[] {
  return validateFleetConfig(
    { rawConfig, configFormat: 'classic', files: [], minFluentBitVersion: '', ...rest },
    fluentBitSchema,
  );
}

/** An error with all that it says. */
export function error(
  code: Finding['code'],
  message: string,
  remedy: string | undefined,
  line: number,
  column: number,
): Finding {
  return { severity: 'error', code, message, ...(remedy !== undefined && { remedy }), line, column };
}
