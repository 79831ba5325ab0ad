import { describe, expect, it } from 'vitest';
import { problemsOf } from './openapi.ts';
import { isProblemCode, problemCodes, problemSentence, problems } from './problems.ts';
import { allRoutes } from './routes/index.ts';

describe('the catalog of problems', () => {
  it('has every status of the contract and of the refusals of the framework', () => {
    const ofTheContract = [400, 401, 403, 404, 409, 410, 413, 415, 422, 426, 429, 503];
    const ofTheFramework = [408, 431, 500];
    const statuses = new Set(problemCodes.map((code) => problems[code].status));
    expect([...statuses].sort()).toEqual([...ofTheContract, ...ofTheFramework].sort());
  });

  it('is sorted by status', () => {
    const statuses = problemCodes.map((code) => problems[code].status);
    expect(statuses).toEqual(statuses.toSorted((one, other) => one - other));
  });

  it.each(problemCodes)('%s is a snake_case name with a title of the same words', (code) => {
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(problems[code].title).toMatch(/^[A-Z][A-Za-z ]+$/);
    expect(problemSentence(code)).toBe(code.split('_').join(' '));
  });

  it.each(problemCodes)('the help of %s has complete sentences and says what to do', (code) => {
    const { help } = problems[code];
    expect(help).toMatch(/^[A-Z].*\.$/);
    expect(
      clausesOf(help).some((clause) => imperative.test(clause)),
      help,
    ).toBe(true);
  });

  it('recognises only its own codes', () => {
    expect(problemCodes.every(isProblemCode)).toBe(true);
    expect(['', 'Not_found', 'not found', 'constructor', '__proto__'].filter(isProblemCode)).toEqual([]);
  });

  it('has a unique title and help for each code', () => {
    expect(new Set(problemCodes.map((code) => problems[code].title)).size).toBe(problemCodes.length);
    expect(new Set(problemCodes.map((code) => problems[code].help)).size).toBe(problemCodes.length);
  });

  it('has only codes that a route can return', () => {
    const answered = new Set(allRoutes.flatMap(problemsOf));
    expect(problemCodes.filter((code) => !answered.has(code))).toEqual(['route_not_found']);
  });
});

const imperative =
  /^(Ask|Change|Check|Choose|Copy|Correct|Create|Delete|Dismiss|Follow|Leave|Look|Make|Nothing to do|Remove|Send|Set|Sign|Take|Update|Use|Wait|Work|Write)\b/i;

function clausesOf(help: string): string[] {
  return help.split(/(?<=[.:;,]) (?:or |and )?/);
}
