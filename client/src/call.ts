import type { Client } from './client.ts';
import type { Operation } from './operation.ts';
import type { CallOptions } from './options.ts';

/** Calls an operation and returns the body of its answer. */
export async function call<Body>(
  client: Client,
  operation: Operation,
  input: object,
  options: CallOptions | undefined,
): Promise<Body> {
  const { body } = await client.send(operation, input, options);
  return body as Body; // the tests of the service check its answers against the document that this type comes from
}
