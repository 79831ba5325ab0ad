/** The answer; undefined if it was refused: the credential may not read it, or it is no longer stored. Then the rest is told without it. */
export function unlessRefused<Answer>(request: Promise<Answer>): Promise<Answer | undefined> {
  return request.catch(async (error: unknown) => {
    const { MusterError } = await import('@muster/client');
    if (error instanceof MusterError && error.status < 500) return undefined;
    throw error;
  });
}
