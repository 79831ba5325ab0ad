import { describe, expect, it } from 'vitest';
import { FluentBitSchema } from './fluent-bit-schema.ts';
import { recordSchema } from './record-schema.ts';

const printed = JSON.stringify({
  'fluent-bit': { version: '9.9.9', schema_version: '1', os: 'linux' },
  customs: [],
  inputs: [
    {
      type: 'input',
      name: 'Tail',
      description: 'long',
      properties: {
        global_options: [{ name: 'tag', type: 'string', default: 'x' }],
        options: [
          { name: 'path', type: 'string' },
          { name: 'label_', type: 'prefixed string' },
        ],
      },
    },
    { type: 'input', name: 'logs', properties: { global_options: [{ name: 'alias', type: 'string' }] } },
  ],
  processors: [],
  filters: [],
  outputs: [{ type: 'output', name: 'null', properties: { options: [] } }],
});

describe('what fluent-bit -J prints', () => {
  it('is recorded without what validation does not need', () => {
    const { version, plugins, shared } = recordSchema(printed);
    expect([version, plugins, shared.filter]).toEqual([
      '9.9.9',
      {
        custom: {},
        input: { logs: null, tail: { 'prefixed string': ['label_'], string: ['path'] } },
        filter: {},
        output: { null: {} },
        processor: {},
      },
      { string: ['active', 'condition', 'name'] },
    ]);
  });

  it('says which properties a plugin accepts', () => {
    const schema = new FluentBitSchema(recordSchema(printed));
    const typesOf = (name: string) => (property: string) => schema.find('input', name)?.typeOf(property);
    expect(['path', 'tag', 'alias', 'label_a', 'label_', 'pth', 'host'].map(typesOf('TAIL'))).toEqual([
      'string',
      'string',
      'string',
      'string',
      'prefixed string',
      undefined,
      'string',
    ]);
    // A plugin that does not say what it accepts.
    expect(['anything', 'net.anything'].map(typesOf('logs'))).toEqual(['any', undefined]);
    expect(schema.find('output', 'null')?.typeOf('path')).toBeUndefined();
    expect(schema.find('input', 'tail://host:1')).toBe(schema.find('input', 'tail'));
    expect(schema.nearest('input', 'tial')).toBe('tail');
  });

  it.each(['{}', '[]', '{"fluent-bit": {"version": "1"}}'])('is not %s', (text) => {
    expect(() => recordSchema(text)).toThrow("This is not what 'fluent-bit -J' prints.");
  });
});
