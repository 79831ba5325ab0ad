import { type FleetConfigFinding, type FleetConfigFormat, maxFleetConfigBytes } from '@muster/contract';
import {
  fluentBitSchema,
  type KnownVariables,
  limitFindings,
  validateFleetConfig,
} from '@muster/fleet-config';
import { redactConfig } from '@muster/redaction';

export interface CheckedConfig {
  readonly rawConfig: string;
  readonly configFormat: FleetConfigFormat;
  readonly files: readonly { readonly name: string; readonly bytes: Uint8Array }[];
  readonly minFluentBitVersion: string;
  /** True: plugins and properties that are not known are accepted. */
  readonly skipNames: boolean;
  /** What is set for the fleet. */
  readonly variables: KnownVariables;
}

/** What agents would refuse or ignore, and secrets that are written out. A megabyte takes some tenths of a second. */
export function findingsOf(config: CheckedConfig): FleetConfigFinding[] {
  const { rawConfig } = config;
  const bytes = Buffer.byteLength(rawConfig);
  if (bytes > maxFleetConfigBytes) {
    return [
      {
        severity: 'error',
        code: 'too_large',
        message: `The configuration has ${bytes} bytes, and at most ${maxFleetConfigBytes} are allowed.`,
        remedy: 'Make it smaller, or move parts of it into files of the fleet.',
      },
    ];
  }
  return [...validateFleetConfig(config, fluentBitSchema), ...limitFindings(literalSecrets(rawConfig))];
}

/** Secrets that are written out: everybody who may read fleets can read them. */
function literalSecrets(rawConfig: string): FleetConfigFinding[] {
  const redacted = redactConfig(rawConfig);
  if (redacted === rawConfig) return [];
  const before = rawConfig.split('\n');
  const after = redacted.split('\n');
  // A secret of several lines becomes one line: then only the first difference has the right number.
  const lines = before.length === after.length ? before.length : firstDifference(before, after) + 1;
  return before.slice(0, lines).flatMap((line, index): FleetConfigFinding[] =>
    line === after[index]
      ? []
      : [
          {
            severity: 'warning',
            code: 'literal_secret',
            message: 'A secret is written out, and everybody who may read fleets can read it.',
            remedy: 'Write a variable of the environment of the agents instead.',
            line: index + 1,
          },
        ],
  );
}

function firstDifference(before: readonly string[], after: readonly string[]): number {
  const index = before.findIndex((line, place) => line !== after[place]);
  return Math.max(0, index);
}
