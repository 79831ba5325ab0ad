import { type Problem, type ProblemCode, problemSentence, problems } from '@muster/contract';
import { expect } from 'vitest';

/** The expected body of a refusal, for `toEqual`. Without a detail: the catalog's help. */
export function problemBody(
  code: ProblemCode,
  detail: string = problems[code].help,
  fields?: Problem['fields'],
): Problem {
  const { status, title } = problems[code];
  return {
    type: `/errors/${code}`,
    title,
    status,
    detail,
    error: problemSentence(code),
    code,
    requestID: expect.stringMatching(/./),
    ...(fields === undefined ? {} : { fields }),
  };
}
