import type { SearchResult } from '@muster/contract';
import { makeHandle } from '@muster/http/fleets/fleet-handle';
import type { Principal } from '../../foundation/credentials/principal.ts';
import type { Database } from '../../foundation/database/database.ts';
import { Refusal } from '../../foundation/refusal.ts';
import type { RandomBytes } from '../../foundation/secret.ts';
import type { ProjectService } from '../projects/project-service.ts';
import { listFleetNames } from './fleet-store.ts';

interface FleetSearchOptions {
  readonly database: Database;
  readonly randomBytes: RandomBytes;
  readonly projects: Pick<ProjectService, 'requireProject'>;
}

interface Wanted {
  /** Undefined: the caller has not named one. */
  readonly projectID: string | undefined;
  readonly resource: string;
  /** Empty: all. */
  readonly term: string;
  readonly isExact: boolean;
  /** True: an agent that is configured with the name of its fleet. */
  readonly isAgent: boolean;
}

/** Finds fleets by name. */
export class FleetSearch {
  readonly #options: FleetSearchOptions;

  constructor(options: FleetSearchOptions) {
    this.#options = options;
  }

  /**
   * An agent gets an id of its own, so that it is known by it from then on. Nothing is stored for that.
   *
   * @throws Refusal not_found, unknown_search_resource
   */
  async find(
    principal: Principal,
    { projectID, resource, term, isExact, isAgent }: Wanted,
  ): Promise<SearchResult[]> {
    const { database, projects, randomBytes } = this.#options;
    if (projectID === undefined) {
      const message = 'must be the id of a project';
      throw new Refusal('invalid_query_parameter', {
        detail: `The query parameter 'project_id' ${message}.`,
        fields: [{ path: 'project_id', message }],
      });
    }
    await projects.requireProject(principal, projectID);
    if (resource !== 'fleet') {
      throw new Refusal('unknown_search_resource', {
        detail: `Resources of the kind '${resource}' cannot be searched for: resource must be 'fleet'.`,
      });
    }
    const fleets = await listFleetNames(database.read, projectID);
    return fleets
      .filter(
        ({ id, name }) =>
          id === term.toLowerCase() || (isExact && term !== '' ? name === term : name.startsWith(term)),
      )
      .map(({ id, name, number, handle_key: handleKey }) => {
        const shownID = isAgent && isExact ? makeHandle({ number, handleKey }, randomBytes) : id;
        return { id: shownID, name, ID: shownID, Name: name };
      });
  }
}
