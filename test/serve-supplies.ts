import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { TestSupplies } from '../server/src/testing/test-supplies.ts';

type Makers = { readonly [Name in keyof TestSupplies]: () => Promise<TestSupplies[Name]> };

/** Tells tests where a supply is, which is made when the first of them asks for it. */
export function serveSupplies(folder: string, makers: Makers): Promise<{ close(): void }> {
  const made = new Map<string, Promise<unknown>>();

  async function answer(socket: Socket): Promise<void> {
    const [name] = await once(socket.setEncoding('utf8'), 'data');
    const supply = made.get(name) ?? makers[name as keyof Makers](); // what test-supplies.ts sends
    made.set(name, supply);
    const outcome = await supply.then(
      (value) => ({ value }),
      (error: unknown) => ({ error: error instanceof Error ? (error.stack ?? '') : String(error) }),
    );
    socket.end(JSON.stringify(outcome));
  }

  const server = createServer((socket) => {
    // A test that ends earlier takes no answer.
    socket.on('error', () => undefined);
    void answer(socket);
  });
  const path = join(folder, 'supplies');
  process.env.MUSTER_TEST_SUPPLIES = path;
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => resolve(server.unref()));
  });
}
