import type { ServiceFailure } from './sending/report-service.ts';

export interface FailureContext {
  readonly url: string;
  /** The directory in which errors are kept until they can be sent. */
  readonly keptIn: string | undefined;
}

/** What happened and what to do about it, in one line. */
export function explainFailure(failure: ServiceFailure, { url, keptIn }: FailureContext): string {
  const meanwhile =
    keptIn === undefined
      ? 'Meanwhile errors are lost.'
      : `Meanwhile errors are kept in ${keptIn}. In Muster they get the time at which they arrive; the log of the agent has their own.`;
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
      return 'Check that --url (MUSTER_URL) is the address of Muster.';
    case 410:
      return 'This run sends nothing more; the next start registers the agent again.';
    case 422:
      return 'Correct what the message names, such as --name or --machine-id.';
    default:
      return undefined;
  }
}
