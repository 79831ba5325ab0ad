/** Exit codes of the command. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  notSignedIn: 3,
  forbidden: 4,
  notFound: 5,
  warnings: 6,
  differs: 7,
} as const;

export type Failure = Exclude<keyof typeof exitCodes, 'ok'>;

/** The meaning of each code, for help and documentation. */
export const exitCodeMeanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  ok: 'Done.',
  failed:
    'Failed: the service refused the request or could not be reached, or an unexpected error occurred. Of `token scan`: a credential was found. Of `audit verify`: an entry was changed, removed or inserted. Of `fleet validate`: agents would refuse the configuration.',
  usage:
    'The command line is wrong, or needs a flag that was not given. Nothing was sent. Of `token scan`: something could not be read, and nothing was found.',
  notSignedIn: 'Not signed in, or the credential is unknown, expired or revoked.',
  forbidden: 'The credential is valid but may not do this.',
  notFound:
    'The project, token, agent or error does not exist, or this credential cannot see it. Of `error explain`: the error is not known.',
  warnings: '`doctor` found warnings, and no failure.',
  differs: 'Of `apply --dry-run`: something would change.',
};
