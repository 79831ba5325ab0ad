import { actions, presets, resources } from './permissions.ts';
import { bodyLimitBytes, largeBodyLimitBytes } from './route.ts';
import { defaultPageSize, largestPageSize } from './schemas/common.ts';
import { tokenPatterns } from './token-format.ts';

/** The rules that every operation follows, in CommonMark. */
export const introduction = `## Credentials

An operation lists the kinds of credential that it accepts: an access token as \`Authorization: Bearer\`, a project token as \`X-Project-Token\` (or as Bearer), an agent token as \`X-Agent-Token\`, the token of a core instance as \`X-Core-Instance-Token\` (or as Bearer). If a request carries several, the first kind in the list is used. A token in a query string is refused.

The value of a token appears only in the answer that created it; only its digest is stored. Patterns for secret scanners: ${codes(Object.values(tokenPatterns))}.

## Permissions

A permission is \`action:resource\`. Actions: ${codes(actions)}. Resources: ${codes(resources)}. \`*\` on either side means all, including those added later; \`*\` alone means \`*:*\`.

Presets: ${Object.entries(presets)
  .map(([name, grants]) => `${name} is ${codes(grants)}`)
  .join('; ')}.

## Lists

Lists are newest first and have ${defaultPageSize} items per page unless \`last\` sets another number, at most ${largestPageSize}. A page may have fewer items than requested if its rows are large. If there is another page, the answer has \`Link: <…>; rel="next"\`: use that URL unchanged. The body is a bare array.

## Answers

Every answer has \`X-Request-Id\`, which is also in the request's log line, and \`X-Content-Type-Options: nosniff\`. Every answer of an operation has \`Cache-Control: no-store\`: a cache in front of the service must not keep it.

## Errors

Every refusal is \`application/problem+json\` (RFC 9457) with a stable \`code\`; its \`detail\` says what happened, why, and what to do. Its \`requestID\` is also in the \`X-Request-Id\` header and in the log line. Answers with 429 and 503 give the time to wait in \`Retry-After\`.

## Data

Ids are UUIDv7 in lower case, times ISO 8601 in UTC with milliseconds. The limits of a text count Unicode code points. A text is stored and compared exactly as sent, except that secrets in what agents report are replaced. A body has at most ${bodyLimitBytes / 1024} KiB; a body with a configuration, metrics or reports of agent errors has at most ${largeBodyLimitBytes / 1024 / 1024} MiB.

Unknown query parameters are refused, and so are unknown body fields, except by operations that agents call. \`/v1\` changes only by additions: new optional fields, parameters and operations can appear, so ignore fields that you do not know.`;

function codes(words: readonly string[]): string {
  return words.map((word) => `\`${word}\``).join(', ');
}
