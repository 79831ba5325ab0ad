import { describe, expect, it } from 'vitest';
import { withResolvers } from '../with-resolvers.ts';
import { JoinedRuns } from './joined-runs.ts';

/** Runs whose ends the test decides. */
function startRuns() {
  const begun: ReturnType<typeof withResolvers<void>>[] = [];
  const runs = new JoinedRuns(() => {
    const run = withResolvers<void>();
    begun.push(run);
    return run.promise;
  });
  return { begun, runs };
}

describe('joined runs', () => {
  it('give those who call during a run the next one, and never run beside each other', async () => {
    const { begun, runs } = startRuns();
    const first = runs.run();
    const others = [runs.run(), runs.run(), runs.run()];
    expect(begun.length).toBe(1);
    begun[0]?.resolve();
    await first;
    // Before the next run begins, callers still share it.
    const last = runs.run();
    await Promise.resolve();
    expect(begun.length).toBe(2);
    begun[1]?.resolve();
    await Promise.all([...others, last]);
    expect(begun.length).toBe(2);
    void runs.run();
    expect(begun.length).toBe(3);
  });

  it('tell a failure only to the callers of that run', async () => {
    const { begun, runs } = startRuns();
    const first = runs.run();
    const second = runs.run();
    begun[0]?.reject(new Error('no database'));
    await expect(first).rejects.toThrow('no database');
    begun[1]?.resolve();
    await second;
  });

  it('end when the last run that was asked for has ended', async () => {
    const { begun, runs } = startRuns();
    void runs.run();
    void runs.run();
    let hasEnded = false;
    const ended = runs.end().then(() => {
      hasEnded = true;
    });
    begun[0]?.resolve();
    await new Promise(setImmediate);
    expect(hasEnded).toBe(false);
    begun[1]?.resolve();
    await ended;
  });
});
