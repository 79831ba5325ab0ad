import { MusterError } from '@muster/client';
import { expect } from 'vitest';

export async function all<Item>(list: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of list) items.push(item);
  return items;
}

export async function refusalOf(call: Promise<unknown>): Promise<MusterError> {
  const error = await call.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(MusterError);
  return error as MusterError; // seen right above
}
