import { routes } from '@muster/contract';
import type { RouteMounter } from '../../foundation/http/mount-route.ts';
import type { ArrivalService } from './arrival-service.ts';
import type { DepartureService } from './departure-service.ts';

interface MoveRoutesOptions {
  readonly departures: DepartureService;
  readonly arrivals: ArrivalService;
}

export function mountMoveRoutes(mounter: RouteMounter, { departures, arrivals }: MoveRoutesOptions): void {
  mounter.mount(routes.departProject, async ({ principal, params, body }) =>
    departures.take(principal, params.projectID, body),
  );

  mounter.mount(routes.readDepartingRows, async ({ params, body }) => {
    const { table, after, publicKey, withRows = true } = body;
    const page = await departures.readRows(
      params.projectID,
      table,
      after ?? undefined,
      publicKey ?? undefined,
    );
    return {
      columns: [...page.columns],
      rows: withRows ? page.rows.map((row) => [...row]) : [],
      last: page.last === undefined ? null : [...page.last],
      rowsCount: page.count,
      digest: page.digest,
    };
  });

  mounter.mount(routes.beginArrival, async ({ principal, body }) => arrivals.begin(principal, body));

  mounter.mount(routes.writeArrivingRows, async ({ params, body }) => {
    const { runID, table, after, through, columns, rows } = body;
    const range = { after: after ?? undefined, through: through ?? undefined };
    const held = await arrivals.write(params.projectID, runID, { table, range, columns, rows });
    return { rowsCount: held.count, digest: held.digest };
  });

  mounter.mount(routes.finishArrival, async ({ principal, params, body }) =>
    arrivals.finish(principal, params.projectID, body),
  );
}
