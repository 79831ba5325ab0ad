import { actions, presets, resources } from './permissions.ts';
import { bodyLimitBytes, largeBodyLimitBytes } from './route.ts';
import { defaultPageSize, largestPageSize } from './schemas/common.ts';
import { tokenPatterns } from './token-format.ts';

/** What holds for every operation, in CommonMark. */
export const introduction = `## Credentials

An operation lists the kinds of credential that it takes: an access token as \`Authorization: Bearer\`, a project token as \`X-Project-Token\` (as Bearer too), an agent token as \`X-Agent-Token\`. Of those sent, the first one listed decides. A token in a query string is refused.

A token's value is in the answer that created it and nowhere else; only its digest is stored. Patterns for secret scanners: ${codes(Object.values(tokenPatterns))}.

## Permissions

A permission is \`action:resource\`. Actions: ${codes(actions)}. Resources: ${codes(resources)}. \`*\` on either side stands for all, those added later too; \`*\` alone is \`*:*\`.

Presets: ${Object.entries(presets)
  .map(([name, grants]) => `${name} is ${codes(grants)}`)
  .join('; ')}.

## Lists

Newest first, ${defaultPageSize} a page unless \`last\` says otherwise, at most ${largestPageSize}. A page may hold fewer than asked for, where its rows are large. When another page exists, the answer has \`Link: <…>; rel="next"\`: follow it as it is. The body is a bare array.

## Answers

Every answer has \`X-Request-Id\`, which is in its log line too, and \`X-Content-Type-Options: nosniff\`. Every answer of an operation is \`Cache-Control: no-store\`: a cache in front of the service must not keep it.

## Errors

Every refusal is \`application/problem+json\` (RFC 9457) with a stable \`code\`; its \`detail\` says what happened, why, and what to do. Its \`requestID\` is in the \`X-Request-Id\` header and in the log line too. 429 and 503 say in \`Retry-After\` how long to wait.

## Data

Ids are UUIDv7 in lower case, times ISO 8601 in UTC with milliseconds. The bounds of a text count Unicode code points; a text is stored and compared exactly as sent, but for the secrets in what agents report. A body has at most ${bodyLimitBytes / 1024} KiB, one with a configuration, metrics or reports of agent errors ${largeBodyLimitBytes / 1024 / 1024} MiB.

Unknown query parameters are refused, and unknown body fields too, except by operations that agents call. \`/v1\` only grows: new optional fields, parameters and operations can appear, so ignore what you do not know.`;

function codes(words: readonly string[]): string {
  return words.map((word) => `\`${word}\``).join(', ');
}
