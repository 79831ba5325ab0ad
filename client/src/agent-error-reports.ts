import type { Client } from './client.ts';
import type { AgentErrorResult } from './generated/schemas.gen.ts';
import type { Operation } from './operation.ts';
import type { CallOptions } from './options.ts';

/**
 * What happened to a report: `created` if a new error was stored, `ignored` if it repeated an open error.
 *
 * @example
 * ```ts
 * const { outcome } = await createAgentError(client, { agentID, body: { error: 'disk full' } });
 * const isNews: boolean = outcome === ('created' satisfies ReportOutcome);
 * ```
 */
export type ReportOutcome = 'created' | 'ignored';

/**
 * The stored error, or the open error that an ignored report repeats.
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
 * The results of reports that were sent together.
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
  /** `ignored` if every report repeated an open error. */
  readonly outcome: ReportOutcome;
}

/** Calls an operation that accepts one report or an array of reports. */
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
    : { ...(body as AgentErrorResult), outcome }; // as the OpenAPI document declares it
  return reported as Reported; // an array of reports gets an array, a single report a single result
}
