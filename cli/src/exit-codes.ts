/** What the command leaves to the shell. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  notSignedIn: 3,
  forbidden: 4,
  notFound: 5,
} as const;

export type Failure = Exclude<keyof typeof exitCodes, 'ok'>;

/** What each one means, for help and documentation. */
export const exitCodeMeanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  ok: 'Done.',
  failed: 'Failed: the service refused, was not reached, or something unforeseen happened.',
  usage: 'The command line is wrong, or needs a flag that was not given. Nothing was sent.',
  notSignedIn: 'Not signed in, or the credential is unknown, expired or revoked.',
  forbidden: 'The credential is valid but may not do this.',
  notFound: 'No such project, token, agent or error, at least for this credential.',
};
