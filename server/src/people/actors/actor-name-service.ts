import type { Actor } from '@muster/contract';
import type { Database } from '../../foundation/database/database.ts';
import { listNames } from './actor-name-store.ts';

/** Somebody as the service stores them; without a kind: nobody. */
export interface StoredActor {
  readonly kind: string | null;
  readonly id: string | null;
}

/** An actor with its name. */
export type ToActor = (actor: { readonly kind: string; readonly id: string | null }) => Actor;

/** The names of those who did something, as they are called now: for answers about things that are stored without the name of then. */
export class ActorNameService {
  readonly #database: Pick<Database, 'engine' | 'read'>;

  constructor({ database }: { readonly database: Pick<Database, 'engine' | 'read'> }) {
    this.#database = database;
  }

  /** Reads the names of all actors of one answer, with at most two statements. */
  async read(actors: readonly StoredActor[]): Promise<ToActor> {
    const idsOf = (kind: string): string[] => [
      ...new Set(actors.flatMap((actor) => (actor.kind === kind && actor.id !== null ? [actor.id] : []))),
    ];
    const [users, tokens] = await Promise.all([
      listNames(this.#database, 'users', idsOf('user')),
      listNames(this.#database, 'project_tokens', idsOf('project_token')),
    ]);
    return ({ kind, id }) => ({
      kind: kind as Actor['kind'], // written by the service alone
      id,
      name: (kind === 'user' ? users : tokens).get(id ?? '') ?? null,
    });
  }
}
