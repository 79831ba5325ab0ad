import { type Client, connect } from '../client.ts';
import type { ClientOptions } from '../options.ts';

/** A client whose waits take no time; `waits` records them. */
export interface PatientClient {
  readonly client: Client;
  /** In milliseconds. */
  readonly waits: readonly number[];
}

/** Uses the longest random part of each wait by default. */
export function createPatientClient(options: ClientOptions, random = 1): PatientClient {
  const waits: number[] = [];
  let now = 0;
  const client = connect(options, {
    random: () => random,
    time: {
      now: () => now,
      wait: async (milliseconds) => {
        waits.push(milliseconds);
        now += milliseconds;
      },
    },
  });
  return { client, waits };
}
