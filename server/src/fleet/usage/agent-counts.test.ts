import { describe, expect, it } from 'vitest';
import { AgentCounts } from './agent-counts.ts';

/** Counts that finish when the test lets them. */
function start(limit: number) {
  const answers: ((count: number) => void)[] = [];
  let now = 1_000_000;
  const counts = new AgentCounts({
    limit,
    clock: () => now,
    count: () => new Promise((resolve) => answers.push(resolve)),
  });
  let machines = 0;
  const newMachine = () => {
    machines += 1;
    return `machine ${machines}`;
  };
  const begin = (machineID = newMachine()) => counts.begin('project', machineID, async () => false);
  return { answers, begin, advance: (milliseconds: number) => (now += milliseconds) };
}

describe('the number of agents of a project', () => {
  it('is counted once for registrations that arrive together', async () => {
    const { answers, begin } = start(3);
    const registrations = Array.from({ length: 10 }, () => begin());
    expect(answers).toHaveLength(1);
    answers[0]?.(0);
    const begun = (await Promise.all(registrations)).filter((registered) => registered !== undefined);
    expect(begun).toHaveLength(3);
    for (const registered of begun) registered(true);
    expect(await begin()).toBeUndefined();
  });

  it('has one place for all registrations of one new machine', async () => {
    const { answers, begin } = start(3);
    const first = begin('one');
    answers[0]?.(1);
    const registrations = [await first, await begin('one'), await begin('one')];
    const other = await begin('other');
    expect(await begin('third')).toBeUndefined();
    expect(await begin('other')).toBeTypeOf('function');
    // One of them has created the agent, and the others have found it.
    registrations[0]?.(true);
    expect(await begin('third')).toBeUndefined();
    registrations[1]?.(false);
    registrations[2]?.(false);
    expect(await begin('third')).toBeUndefined();
    other?.(false);
    expect(await begin('third')).toBeUndefined();
  });

  it('has the place again that registrations of one machine have not used', async () => {
    const { answers, begin } = start(2);
    const first = begin('one');
    answers[0]?.(1);
    const registrations = [await first, await begin('one')];
    for (const registered of registrations) registered?.(false);
    expect(await begin('other')).toBeTypeOf('function');
  });

  it('includes agents that were registered while it was counted', async () => {
    const { answers, begin, advance } = start(3);
    const first = begin();
    answers[0]?.(1);
    const registered = await first;
    advance(10_000);
    const second = begin();
    // Stored and answered after the count began, so the count does not include it.
    registered?.(true);
    answers[1]?.(1);
    (await second)?.(true);
    expect(await begin()).toBeUndefined();
  });
});
