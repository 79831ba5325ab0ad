import type { AlertDeliveryState } from '@muster/contract';
import type { ProjectService } from '../../../fleet/projects/project-service.ts';
import type { Principal } from '../../../foundation/credentials/principal.ts';
import type { Database } from '../../../foundation/database/database.ts';
import { type Page, type PageOf, toPage } from '../../../foundation/list-page.ts';
import { type DeliveryRow, listDeliveries } from './delivery-store.ts';

interface DeliveryServiceOptions {
  readonly database: Database;
  readonly projects: Pick<ProjectService, 'requireProject'>;
}

/** The log of messages to the channels of a project. */
export class DeliveryService {
  readonly #options: DeliveryServiceOptions;

  constructor(options: DeliveryServiceOptions) {
    this.#options = options;
  }

  /** @throws Refusal not_found */
  async list(
    principal: Principal,
    filter: {
      readonly projectID: string;
      readonly channelID: string | undefined;
      readonly state: AlertDeliveryState | undefined;
    },
    page: Page,
  ): Promise<PageOf<DeliveryRow>> {
    const { database, projects } = this.#options;
    await projects.requireProject(principal, filter.projectID);
    return toPage(await listDeliveries(database.read, filter, page), page);
  }
}
