import type { Client } from './client.ts';
import type { AgentErrorResult } from './generated/schemas.gen.ts';
import type { Operation } from './operation.ts';
import type { CallOptions } from './options.ts';

/**
 * What became of a report: `created` when a new error was stored, `ignored` when it repeated one that stands open.
 *
 * @example
 * ```ts
 * const { outcome } = await createAgentError(client, { agentID, body: { error: 'disk full' } });
 * const isNews: boolean = outcome === ('created' satisfies ReportOutcome);
 * ```
 */
export type ReportOutcome = 'created' | 'ignored';

/**
 * The error that was stored, or the one that stands for an ignored report.
 *
 * @example
 * ```ts
 * const reported: ReportedAgentError = await createAgentError(client, { agentID, body: { error: 'disk full' } });
 * console.log(reported.outcome, reported.id, reported.createdAt);
 * ```
 */
export interface ReportedAgentError extends AgentErrorResult {
  readonly outcome: ReportOutcome;
}

/**
 * The same for reports that were sent together.
 *
 * @example
 * ```ts
 * const body = [{ error: 'disk full' }, { error: 'no upstream connections available' }];
 * const reported: ReportedAgentErrors = await createAgentError(client, { agentID, body });
 * console.log(reported.outcome, reported.items.length);
 * ```
 */
export interface ReportedAgentErrors {
  /** In the order of the reports. */
  readonly items: AgentErrorResult[];
  /** `ignored` when every one of them repeated an error that stands open. */
  readonly outcome: ReportOutcome;
}

/** Calls an operation that takes one report or an array of them. */
export async function report<Reported extends ReportedAgentError | ReportedAgentErrors>(
  client: Client,
  operation: Operation,
  input: object,
  options: CallOptions | undefined,
): Promise<Reported> {
  const { body, header } = await client.send(operation, input, options);
  const outcome: ReportOutcome = header('muster-agent-error') === 'ignored' ? 'ignored' : 'created';
  const reported = Array.isArray(body)
    ? { items: body, outcome }
    : { ...(body as AgentErrorResult), outcome }; // by the document
  return reported as Reported; // an array is answered by an array, and one report by one result
}
