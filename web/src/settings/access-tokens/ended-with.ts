import type { AccessToken, Session } from '@muster/client';

export interface EndedWith {
  /** Those that were created with it, and with those. */
  readonly tokens: readonly Pick<AccessToken, 'id' | 'name'>[];
  readonly sessionsCount: number;
  /** True if the session of this browser ends too. */
  readonly endsOwnSession: boolean;
}

/** What ends with an access token. */
export function endedWith(
  tokenID: string,
  tokens: readonly Pick<AccessToken, 'id' | 'name' | 'createdWith'>[],
  sessions: readonly Pick<Session, 'accessTokenID' | 'current'>[],
): EndedWith {
  const ended = new Set([tokenID]);
  // Creators may stand behind what they created.
  for (let before = 0; before < ended.size; ) {
    before = ended.size;
    for (const { id, createdWith } of tokens)
      if (createdWith !== null && ended.has(createdWith)) ended.add(id);
  }
  const endedSessions = sessions.filter(
    ({ accessTokenID }) => accessTokenID !== null && ended.has(accessTokenID),
  );
  return {
    tokens: tokens.filter(({ id }) => id !== tokenID && ended.has(id)),
    sessionsCount: endedSessions.length,
    endsOwnSession: endedSessions.some(({ current }) => current),
  };
}
