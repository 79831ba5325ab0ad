import type { ServiceFailure } from './sending/report-service.ts';

export interface FailureContext {
  readonly url: string;
  /** The directory that errors are kept in meanwhile. */
  readonly keptIn: string | undefined;
}

/** What happened and what mends it, in one line. */
export function explainFailure(failure: ServiceFailure, { url, keptIn }: FailureContext): string {
  const meanwhile =
    keptIn === undefined ? 'Until then errors are lost.' : `Until then errors are kept in ${keptIn}.`;
  if (failure.kind === 'unreachable')
    return `Muster at ${url} cannot be reached: ${failure.message}. ${meanwhile}`;
  if (failure.kind === 'busy') return `Muster asks to wait: ${failure.message}`;
  return `Muster refuses the reports: ${failure.message} ${mendOf(failure.status) ?? meanwhile}`;
}

function mendOf(status: number): string | undefined {
  switch (status) {
    case 401:
      return 'Give a valid project token in MUSTER_TOKEN or --token-file; a file is read again every 5 minutes.';
    case 403:
      return 'Give a project token with create:agent and create:agent_error.';
    case 404:
      return 'Look whether --url (MUSTER_URL) is the address of Muster.';
    case 410:
      return 'Nothing more of this run is sent; the next start registers the agent anew.';
    case 422:
      return 'Correct what the message names, such as --name or --machine-id.';
    default:
      return undefined;
  }
}
