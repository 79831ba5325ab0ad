import {
  type Problem,
  type ProblemCode,
  type ProblemField,
  problemSentence,
  problems,
} from '@muster/contract';

export const problemMediaType = 'application/problem+json; charset=utf-8';

/** Builds the body of a refusal. Pure, so that what Node refuses before Fastify gets the same body. */
export function toProblem(
  code: ProblemCode,
  requestID: string,
  detail: string,
  fields?: Problem['fields'],
): Problem {
  const { status, title } = problems[code];
  return {
    type: `/errors/${code}`,
    title,
    status,
    detail: shorten(detail, maxDetailLength),
    error: problemSentence(code),
    code,
    requestID,
    ...(fields === undefined ? {} : { fields: fields.map(shortenField) }),
  };
}

/** Answers quote what was sent; who sends megabytes does not get them back. */
const maxDetailLength = 8_000;
export const maxFieldLength = 500;

function shortenField({ path, message }: ProblemField): ProblemField {
  return { path: shorten(path, maxFieldLength), message: shorten(message, maxFieldLength) };
}

/** A token that came in a wrong place is not quoted: answers are logged by clients. */
export function shorten(text: string, maximum: number): string {
  const hidden = text
    .slice(0, maximum + maxTokenLength)
    .replaceAll(/mst_[puacisl]_[0-9A-Za-z]{16,}/g, '[secret]');
  return text.length <= maximum ? hidden : `${hidden.slice(0, maximum).toWellFormed()}…`;
}

const maxTokenLength = 256;
