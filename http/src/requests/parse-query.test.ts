import { allRoutes, routes } from '@muster/contract';
import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { Refusal } from '../refusal.ts';
import { compileQueryParser, refuseUndecodableQuery } from './parse-query.ts';

const parse = compileQueryParser(
  Type.Object({
    last: Type.Optional(Type.Integer({ minimum: 0, maximum: 1000 })),
    offset: Type.Optional(Type.Integer({ minimum: 5 })),
    dismissed: Type.Optional(Type.Boolean()),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 4 })),
    agent_id: Type.Optional(Type.String({ format: 'uuid', pattern: '^[0-9a-fA-F-]{36}$' })),
    status: Type.Optional(Type.Unsafe<string>({ type: 'string', enum: ['active', 'expired'] })),
  }),
);

describe('a query parameter', () => {
  it.each<[Record<string, string>, Record<string, unknown>]>([
    [{}, {}],
    [{ last: '0' }, { last: 0 }],
    [{ last: '1000' }, { last: 1000 }],
    [{ last: '0010' }, { last: 10 }],
    [{ dismissed: 'true' }, { dismissed: true }],
    [{ dismissed: 'false' }, { dismissed: false }],
    [{ name: 'a' }, { name: 'a' }],
    [{ name: '🙂🙂🙂🙂' }, { name: '🙂🙂🙂🙂' }],
    [{ name: ' a ' }, { name: ' a ' }],
    [{ status: 'expired' }, { status: 'expired' }],
    [
      { agent_id: '0192F0A0-0000-7000-8000-00000000000A' },
      { agent_id: '0192f0a0-0000-7000-8000-00000000000a' },
    ],
    [
      { last: '5', name: 'ab' },
      { last: 5, name: 'ab' },
    ],
  ])('%j is read', (raw, parsed) => {
    expect(parse(raw)).toEqual(parsed);
  });

  it.each<[Record<string, string | string[]>, string]>([
    [{ last: '1001' }, "is '1001', but must be a whole number, 0 to 1000"],
    [{ last: '-1' }, "is '-1', but must be a whole number, 0 to 1000"],
    [{ last: '+1' }, "is '+1', but must be a whole number, 0 to 1000"],
    [{ last: '1.0' }, "is '1.0', but must be a whole number, 0 to 1000"],
    [{ last: '1e2' }, "is '1e2', but must be a whole number, 0 to 1000"],
    [{ last: '0x1' }, "is '0x1', but must be a whole number, 0 to 1000"],
    [{ last: ' 1' }, "is ' 1', but must be a whole number, 0 to 1000"],
    [{ last: '' }, "is '', but must be a whole number, 0 to 1000"],
    [{ last: '١' }, "is '١', but must be a whole number, 0 to 1000"],
    [{ last: '9'.repeat(16) }, `is '${'9'.repeat(16)}', but must be a whole number, 0 to 1000`],
    [{ offset: '4' }, "is '4', but must be a whole number, at least 5"],
    [{ dismissed: 'True' }, "is 'True', but must be true or false"],
    [{ dismissed: '1' }, "is '1', but must be true or false"],
    [{ dismissed: '' }, "is '', but must be true or false"],
    [{ name: '' }, 'has 0 characters, but must have 1 to 4'],
    [{ name: '🙂🙂🙂🙂🙂' }, 'has 5 characters, but must have 1 to 4'],
    [{ name: 'a\0' }, 'contains NUL or half a character; remove it'],
    [{ name: '\ud800' }, 'contains NUL or half a character; remove it'],
    [{ status: 'Active' }, "is 'Active', but must be one of active, expired"],
    [{ agent_id: 'x' }, 'is not a UUID, such as 0192f0a0-0000-7000-8000-000000000000'],
    [{ last: ['1', '2'] }, 'is given more than once; give it once'],
    [{ name: ['a', 'a'] }, 'is given more than once; give it once'],
  ])('400 invalid_query_parameter: %j', (raw, message) => {
    const [name = ''] = Object.keys(raw);
    expect(refusalOf(() => parse(raw))).toMatchObject({
      code: 'invalid_query_parameter',
      detail: `The query parameter '${name}' ${message}.`,
      fields: [{ path: name, message }],
    });
  });

  it.each([
    ['lsat', "There is no query parameter 'lsat'. Did you mean 'last'?"],
    ['Dismissed', "There is no query parameter 'Dismissed'. Did you mean 'dismissed'?"],
    [
      'colour',
      "There is no query parameter 'colour'. This route takes last, offset, dismissed, name, agent_id, status.",
    ],
    ['', "There is no query parameter ''. This route takes last, offset, dismissed, name, agent_id, status."],
  ])('400 unknown_query_parameter: %j', (name, detail) => {
    expect(refusalOf(() => parse({ [name]: '1' }))).toMatchObject({
      code: 'unknown_query_parameter',
      detail,
      fields: [{ path: name, message: 'is unknown' }],
    });
  });

  it('400 unknown_query_parameter: any parameter on a route without parameters', () => {
    const parseNone = compileQueryParser(routes.getMe.query);
    expect(parseNone({})).toEqual({});
    expect(refusalOf(() => parseNone({ last: '1' })).detail).toBe(
      "There is no query parameter 'last'. This route takes none.",
    );
  });

  it('has a type that this parser supports, on every route', () => {
    const kinds = allRoutes.flatMap(({ query }) =>
      Object.values(query?.properties ?? {}).map((schema) => ('type' in schema ? schema.type : undefined)),
    );
    expect([...new Set(kinds)].sort()).toEqual(['boolean', 'integer', 'string']);
  });
});

describe('a query as a whole', () => {
  it.each(['/x?', '/x?a=%20', '/x?a=%F0%9F%99%82', '/x?a=b?c', '/x?&&='])('%s is accepted', (url) => {
    expect(() => refuseUndecodableQuery(url)).not.toThrow();
  });

  it.each(['/x?a=%', '/x?%zz', '/x?a=%F0%9F', '/x?a=%ED%A0%80'])('400 bad_request: %s', (url) => {
    expect(refusalOf(() => refuseUndecodableQuery(url)).code).toBe('bad_request');
  });
});

function refusalOf(run: () => unknown): Refusal {
  try {
    run();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}
