import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { eventually } from '../../server/src/testing/eventually.ts';
import { startTestApp } from '../../server/src/testing/start-test-app.ts';

/** Files of tests share a process, in which each service that stayed would make every collection of garbage longer. */
it('a closed service leaves nothing in memory', async () => {
  const closed = await startAndClose();
  // Node and V8 may still hold the last one.
  await startAndClose();
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void; // the flag defines it
  await eventually(() => {
    collectGarbage();
    expect(closed.deref() === undefined).toBe(true);
  }, 200);
});

async function startAndClose(): Promise<WeakRef<object>> {
  const test = await startTestApp();
  await test.createProject();
  await test.close();
  return new WeakRef(test.app.http);
}
