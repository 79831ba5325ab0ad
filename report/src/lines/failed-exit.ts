import { redactText } from '@muster/redaction';
import { cleanText } from './clean-text.ts';
import { cutText } from './cut-text.ts';
import { type LineFormats, withoutTransport } from './error-line.ts';

const maxReasonLines = 6;
const maxOtherLines = 3;

/** The last lines of all outputs of an agent. */
export interface LastLines {
  readonly stderr: readonly string[];
  readonly stdout: readonly string[];
  readonly logFiles: readonly string[];
}

/** Whether the last lines contain an error of a known form: it is reported already. */
export function containsError({ stderr, stdout, logFiles }: LastLines, formats: LineFormats): boolean {
  return [...stderr, ...stdout, ...logFiles].some(
    (line) => formats.read(withoutTransport(line)) !== undefined,
  );
}

/**
 * What is reported when an agent has ended with an exit code other than 0 and without an error of a known form. Its last lines
 * say why. Those of stdout may be data, so they count only if stderr and the log files have none.
 */
export function describeFailedExit(code: number, { stderr, stdout, logFiles }: LastLines): string {
  const found = [stderr, logFiles].find(({ length }) => length > 0) ?? stdout.filter(saysReason);
  const lines = found.map((line) => withoutTransport(line).trimEnd());
  const ended = `[muster report] The agent ended with exit code ${code}`;
  const first = lines.findIndex(saysReason);
  if (first >= 0) return toReported(`${ended}: ${lines.slice(first, first + maxReasonLines).join('\n')}`);
  if (lines.length === 0) return `${ended} and printed no error.`;
  return toReported(
    `${ended} and printed no error. Its last lines:\n${lines.slice(-maxOtherLines).join('\n')}`,
  );
}

function saysReason(line: string): boolean {
  return reasonWord.test(line);
}

const reasonWord =
  /(?:\b|[a-z])(?:errors?|fail(?:s|ed|ure|ures)?|fatal|cannot|can't|could not|couldn't|unable to|invalid|illegal|bad|unknown|unrecogni[sz]ed|unexpected|unsupported|missing|requires?|refused|denied|not permitted|no such|not found|not exist|already (?:in use|exists|running)|timed out|abort(?:ed|ing)?|killed)\b/i;

function toReported(text: string): string {
  return cutText(cleanText(redactText(text)));
}
