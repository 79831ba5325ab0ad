/** An error that was found and that the service has not accepted yet. */
export interface SpooledError {
  readonly text: string;
  /** Digest of the configuration that the agent ran. */
  readonly configDigest: string;
}

const maxTextLength = 8_192;

/** One line, with its line break. */
export function formatSpooledError({ text, configDigest }: SpooledError): string {
  return `${JSON.stringify({ config: configDigest, text })}\n`;
}

/** All complete lines of a spool. A line that was cut off because the process was killed is skipped. */
export function parseSpool(spool: string): SpooledError[] {
  return spool.split('\n').flatMap((line) => parseSpooledError(line) ?? []);
}

function parseSpooledError(line: string): SpooledError | undefined {
  try {
    const { text, config } = JSON.parse(line) as Record<string, unknown>; // of null, it throws; of other values, both are undefined
    const isText =
      typeof text === 'string' && text !== '' && text.length <= maxTextLength && text.isWellFormed();
    return isText && typeof config === 'string' ? { text, configDigest: config } : undefined;
  } catch {
    return undefined;
  }
}
