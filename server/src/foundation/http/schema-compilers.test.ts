import { Type } from 'typebox';
import { expect, it } from 'vitest';
import { createSchemaCompilers } from './schema-compilers.ts';

/** A schema, and how often it was read. */
function watched() {
  let reads = 0;
  const schema = new Proxy(Type.Object({ name: Type.String() }), {
    get(target, property, receiver) {
      reads += 1;
      return Reflect.get(target, property, receiver);
    },
  });
  return { schema, reads: () => reads };
}

const route = { method: 'GET', url: '/', httpStatus: '200' };

it('a schema of a body is compiled for the first body, and not again', () => {
  const { schema, reads } = watched();
  const validate = createSchemaCompilers().validators.compile(schema);
  expect(reads()).toBe(0);
  validate({ name: 'one' });
  const afterFirst = reads();
  expect(afterFirst).toBeGreaterThan(0);
  validate({ name: 'two' });
  expect(() => validate({ name: 2 })).toThrow('name');
  expect(reads()).toBeLessThan(2 * afterFirst);
});

it('a schema of an answer is compiled for the first answer, each for itself, and not again', () => {
  const build = createSchemaCompilers().buildSerializer({}, {});
  const { schema, reads } = watched();
  const [write, writeOther] = [schema, Type.Object({ other: Type.Number() })].map((one) =>
    build({ schema: one, ...route }),
  );
  const before = reads();
  expect(write?.({ name: 'one', other: 1 })).toBe('{"name":"one"}');
  const afterFirst = reads();
  expect(afterFirst).toBeGreaterThan(before);
  expect(writeOther?.({ name: 'one', other: 1 })).toBe('{"other":1}');
  expect(write?.({ name: 'two' })).toBe('{"name":"two"}');
  expect(reads()).toBe(afterFirst);
});
