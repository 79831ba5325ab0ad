/**
 * Headers of every answer, also of those that are written without the framework. Answers depend on credentials in
 * headers of our own, which shared caches do not know: without `no-store` one project's data would be served to another.
 * `nosniff` keeps browsers from taking a text that an agent has sent for a page.
 */
export const answerHeaders = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' } as const;

/** Names and values in turn, as `writeHead` takes them. */
export const rawAnswerHeaders: readonly string[] = Object.entries(answerHeaders).flat();
