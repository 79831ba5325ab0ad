import { type Sentence, say } from './audit/sentence.ts';
import { countOf, numberOf } from './count-of.ts';
import type { Rollout } from './schemas/rollout.ts';

/**
 * What a rollout does or why it ended, as the end of a sentence. Undefined: a person decided it.
 *
 * @param explanation what was wrong with the version, if a cause has stopped the rollout and that is known
 */
export function verdictSentence(
  { rule, agents = 0, of = 0, groupID, stage = 0, freeze, until }: NonNullable<Rollout['verdict']>,
  explanation?: string,
): Sentence | undefined {
  const some = `${numberOf(agents)} of ${countOf(of, 'agent')}`;
  const report = `${some} with the version ${agents === 1 ? 'reports' : 'report'}`;
  switch (rule) {
    case 'hard_failures':
      return say`${countOf(agents, 'agent')} rejected the version, crashed with it, or fell silent`;
    case 'new_cause':
      return say`${explanation ?? `${report} a cause that the others do not`}${groupID !== undefined && { causeID: groupID }}`;
    case 'unhealthy':
      return say`${report} something new`;
    case 'not_enough_evidence':
      return say`not enough evidence: ${some} ${agents === 1 ? 'was' : 'were'} watched long enough`;
    case 'silent_sites':
      return say`sites do not deliver what their agents report`;
    case 'freeze':
      return say`stage ${numberOf(stage)} begins when the freeze${freeze !== undefined && say` ${{ name: freeze }}`} ends${until !== undefined && say` (${{ time: until }})`}`;
    case 'approval':
      return say`waits for approval of stage ${numberOf(stage)}`;
    case 'pending':
      return say`${countOf(agents, 'agent')} did not show that they run it`;
    case 'person':
      return undefined;
  }
}
