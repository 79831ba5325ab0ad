import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

/** What a run makes when the first of its tests asks for it. */
export interface TestSupplies {
  /** A database file with all tables. */
  readonly sqlite: { readonly template: string };
  /** A server, and the name of a database on it with all tables. */
  readonly postgres: { readonly url: string; readonly template: string };
  /** The address of a browser. What one connection opens is not seen by another, and ends with it. */
  readonly browser: { readonly address: string };
}

const asked = new Map<string, Promise<unknown>>();

/** Asks the process that runs the tests. */
export function takeSupply<Name extends keyof TestSupplies>(name: Name): Promise<TestSupplies[Name]> {
  const supply = asked.get(name) ?? ask(name);
  asked.set(name, supply);
  return supply as Promise<TestSupplies[Name]>; // what was asked for by this name
}

async function ask(name: string): Promise<unknown> {
  const path = process.env.MUSTER_TEST_SUPPLIES;
  if (path === undefined) throw new Error('MUSTER_TEST_SUPPLIES is set by the tests before they start');
  const socket = connect(path);
  socket.write(name);
  const { value, error } = JSON.parse(await text(socket));
  if (error !== undefined) throw new Error(error);
  return value;
}
