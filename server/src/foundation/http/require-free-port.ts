import { createServer } from 'node:net';

/**
 * Checks that the port is free before anything is created: a first start shows a token once, and must not fail after creating it.
 *
 * @throws Error (as a rejection) that says what to do.
 */
export async function requireFreePort(host: string, port: number): Promise<void> {
  const probe = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      probe.once('error', reject);
      probe.listen({ host, port }, resolve);
    });
  } catch (cause) {
    throw new Error(
      `Cannot listen on ${host} port ${port}. Stop what uses it, or choose another with HOST and PORT.`,
      { cause },
    );
  }
  await new Promise((resolve) => probe.close(resolve));
}
