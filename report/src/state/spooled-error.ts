/** An error that has been seen and not yet been taken by the service. */
export interface SpooledError {
  readonly text: string;
  /** Of the configuration that the agent ran. */
  readonly configDigest: string;
}

const maxTextLength = 8_192;

/** One line, with its break. */
export function formatSpooledError({ text, configDigest }: SpooledError): string {
  return `${JSON.stringify({ config: configDigest, text })}\n`;
}

/** Everything in a spool that is whole: what was being written when the process was killed is passed over. */
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
