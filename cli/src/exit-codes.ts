/** What the command leaves to the shell. */
export const exitCodes = { failed: 1, usage: 2 } as const;
