import type { AccessToken, Session } from '@muster/client';

/**
 * Which access tokens the session of this browser may rotate: if it began with one, only those that were created with that one.
 *
 * @param sessions of the user, as far as they are read; without the current one, it is not known
 */
export function rotatableWith(sessions: readonly Pick<Session, 'accessTokenID' | 'current'>[]) {
  const own = sessions.find(({ current }) => current);
  return ({ createdWith }: Pick<AccessToken, 'createdWith'>): boolean =>
    own !== undefined && (own.accessTokenID === null || createdWith === own.accessTokenID);
}
