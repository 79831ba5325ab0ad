import type { FreezeWindow, UpdateFreezeWindows } from '@muster/contract';
import type { Clock } from '../../../foundation/clock.ts';
import type { Principal } from '../../../foundation/credentials/principal.ts';
import type { Database } from '../../../foundation/database/database.ts';
import { noteEvent } from '../../../foundation/database/note-event.ts';
import { Refusal } from '../../../foundation/refusal.ts';
import { isTimeZone } from '../../../foundation/wall-clock.ts';
import type { AuditService } from '../../../record/audit/audit-service.ts';
import type { ProjectService } from '../../projects/project-service.ts';
import { type Freeze, freezeAfter, freezeAt } from './freeze-windows.ts';

interface FreezeServiceOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly projects: Pick<ProjectService, 'requireProject' | 'lock'>;
  readonly audit: Pick<AuditService, 'record'>;
}

interface Stored {
  readonly freeze_windows: string;
}

/** When no rollout of a project starts. */
export class FreezeService {
  readonly #options: FreezeServiceOptions;

  constructor(options: FreezeServiceOptions) {
    this.#options = options;
  }

  /** @throws Refusal not_found */
  async find(principal: Principal, projectID: string) {
    const { projects, clock } = this.#options;
    const freezeWindows = windowsOf(await projects.requireProject(principal, projectID));
    const now = clock();
    return {
      freezeWindows,
      freeze: freezeAt(freezeWindows, now),
      nextFreeze: freezeAfter(freezeWindows, now),
    };
  }

  /** @throws Refusal not_found, invalid_body */
  async update(principal: Principal, projectID: string, { freezeWindows }: UpdateFreezeWindows) {
    const { database, clock, projects, audit } = this.#options;
    await projects.requireProject(principal, projectID);
    requireValid(freezeWindows);
    await database.write.transaction().execute(async (trx) => {
      const row = await projects.lock(trx, projectID);
      if (row === undefined) throw new Refusal('not_found');
      const now = clock();
      await trx
        .updateTable('projects')
        .set({ freeze_windows: JSON.stringify(freezeWindows), updated_at: now })
        .where('id', '=', projectID)
        .execute();
      await noteEvent(trx, projectID, { type: 'project.updated', name: row.name });
      await audit.record(trx, principal, {
        projectID,
        action: 'project.updated',
        target: { kind: 'project', id: projectID, name: row.name },
        before: { freezeWindows: windowsOf(row) },
        after: { freezeWindows },
      });
    });
    return this.find(principal, projectID);
  }
}

/** The freeze of a project at a time. */
export function freezeOf(project: Stored, now: number): Freeze | undefined {
  return freezeAt(windowsOf(project), now);
}

export function frozen({ name, endsAt }: Freeze): Refusal {
  const until =
    endsAt === undefined ? 'for longer than two months' : `until ${new Date(endsAt).toISOString()}`;
  return new Refusal('rollouts_frozen', {
    detail: `The freeze window '${name}' lets no rollout of this project start, no stage begin and no value that agents use change ${until}. Wait until then, or send despiteFreeze: true.`,
  });
}

function windowsOf({ freeze_windows }: Stored): readonly FreezeWindow[] {
  return JSON.parse(freeze_windows) as FreezeWindow[]; // written by the service alone
}

/** @throws Refusal invalid_body */
function requireValid(windows: readonly FreezeWindow[]): void {
  const fields = windows.flatMap((window, index) => {
    const path = `/freezeWindows/${index}`;
    if (windows.findIndex(({ name }) => name === window.name) < index)
      return [{ path: `${path}/name`, message: 'must be unique' }];
    if ('startsAt' in window) {
      return Date.parse(window.startsAt) < Date.parse(window.endsAt)
        ? []
        : [{ path: `${path}/endsAt`, message: 'must be later than startsAt' }];
    }
    return isTimeZone(window.zone)
      ? []
      : [
          {
            path: `${path}/zone`,
            message: 'must be a name of the IANA time zone database, such as Europe/Berlin',
          },
        ];
  });
  if (fields.length > 0) throw new Refusal('invalid_body', { fields });
}
