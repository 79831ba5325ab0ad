import type { ProblemCode } from '@muster/contract';
import { UntoldRefusal } from '../refusal.ts';
import { type LimitName, type NewErrorLimits, shareOfCause } from './new-error-limits.ts';

/** Created once and reused, because capturing a stack trace costs more than the rest of such a refusal. */
export type LimitRefusals = Readonly<Record<LimitName, UntoldRefusal>>;

/** The refusals of reports that exceed the limits on new errors. */
export function createLimitRefusals(
  limits: NewErrorLimits & { readonly storedBytesPerProject: number },
): LimitRefusals {
  const { openPerAgent, newPerAgentPerMinute, newPerProjectPerSecond, storedBytesPerProject } = limits;
  return {
    openPerAgent: refusal(
      'too_many_open_errors',
      60,
      `This agent has ${openPerAgent} open errors, which is the maximum. Dismiss some, or raise MUSTER_MAX_OPEN_ERRORS_PER_AGENT.`,
    ),
    newPerAgentPerMinute: refusal(
      'too_many_new_errors_of_agent',
      60,
      `This agent had ${newPerAgentPerMinute} new errors within a minute, which is the maximum. Wait, remove volatile parts such as times from the text, or raise MUSTER_NEW_ERRORS_PER_AGENT_PER_MINUTE.`,
    ),
    openOfCause: refusal(
      'too_many_errors_of_cause',
      60,
      `This agent has ${shareOfCause(openPerAgent)} open errors of this cause, which is the maximum. Its errors of other causes are still stored. Dismiss some of these, remove volatile parts from the text, or raise MUSTER_MAX_OPEN_ERRORS_PER_AGENT, of which one cause may have a quarter.`,
    ),
    newOfCausePerMinute: refusal(
      'too_many_errors_of_cause',
      60,
      `This agent had ${shareOfCause(newPerAgentPerMinute)} new errors of this cause within a minute, which is the maximum. Its errors of other causes are still stored. Wait, remove volatile parts such as times from the text, or raise MUSTER_NEW_ERRORS_PER_AGENT_PER_MINUTE, of which one cause may have a quarter.`,
    ),
    newPerProjectPerSecond: refusal(
      'too_many_new_errors_of_project',
      1,
      `This project had ${newPerProjectPerSecond} new errors within a second, which is the maximum. Wait, or raise MUSTER_NEW_ERRORS_PER_PROJECT_PER_SECOND.`,
    ),
    storedBytesPerProject: refusal(
      'too_many_stored_bytes',
      60,
      `The agents of this project have stored ${storedBytesPerProject} bytes, which is the maximum. Delete agents that no longer exist, dismiss errors and lower MUSTER_RETENTION_DAYS, or raise MUSTER_MAX_STORED_BYTES_PER_PROJECT. Repeats of open errors are still counted.`,
    ),
  };
}

function refusal(code: ProblemCode, retryAfterSeconds: number, detail: string): UntoldRefusal {
  return new UntoldRefusal(code, { detail, retryAfterSeconds });
}
