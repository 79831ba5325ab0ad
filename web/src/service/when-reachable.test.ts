import { expect, it, vi } from 'vitest';

vi.stubGlobal('document', { baseURI: 'http://localhost/' });
const { whenReachable } = await import('./when-reachable.ts');
vi.unstubAllGlobals();

const missing = () => new TypeError('Failed to fetch dynamically imported module: http://localhost/a.js');

/** Loads a part that fails as often as there are errors, while the service answers as written. */
function loading(errors: readonly Error[], answers: readonly boolean[]) {
  const left = [...errors];
  const asked = [...answers];
  let pauses = 0;
  const styles: string[] = [];
  const load = whenReachable(
    async () => {
      const error = left.shift();
      if (error !== undefined) throw error;
      return 'part';
    },
    {
      isReachable: async () => asked.shift() ?? true,
      async pause() {
        pauses += 1;
      },
      async loadStyle(address) {
        styles.push(address);
      },
    },
  );
  return load().then(
    (part) => [part, pauses, ...styles],
    (error: Error) => [error.message, pauses, ...styles],
  );
}

it('waits for a service that is away, and loads the part when it is back', async () => {
  expect(await loading([], [])).toEqual(['part', 0]);
  expect(await loading([missing(), missing(), missing()], [false, false, true])).toEqual(['part', 2]);
});

it('fails at once if the service answers and has no such file', async () => {
  expect(await loading([missing(), missing()], [true])).toEqual([missing().message, 0]);
});

it('does not try a part again that is broken itself', async () => {
  expect(await loading([new RangeError('broken')], [false])).toEqual(['broken', 0]);
});

it('fetches styles that were missing, because nothing else tries them again', async () => {
  const error = new Error('Unable to preload CSS for http://localhost/assets/a.css');
  expect(await loading([error], [false])).toEqual(['part', 1, 'http://localhost/assets/a.css']);
  expect(await loading([error], [true])).toEqual(['part', 0, 'http://localhost/assets/a.css']);
});
