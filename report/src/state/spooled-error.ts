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
    const value: unknown = JSON.parse(line);
    if (typeof value !== 'object' || value === null) return undefined;
    const { text, config } = value as Record<string, unknown>; // read as unknown
    const isText =
      typeof text === 'string' && text !== '' && text.length <= maxTextLength && text.isWellFormed();
    return isText && typeof config === 'string' ? { text, configDigest: config } : undefined;
  } catch {
    return undefined;
  }
}
