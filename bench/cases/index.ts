import type { Case } from '../bench.ts';
import { againstCase } from './against.ts';
import { auditCase } from './audit.ts';
import { besideBackupCase } from './beside/backup.ts';
import { besideTelemetryCase } from './beside/telemetry.ts';
import { connections } from './connections.ts';
import { countingPostgres } from './counting.ts';
import { dashboardFirstLoad } from './dashboard/first-load.ts';
import { dashboardMemory } from './dashboard/memory.ts';
import { dashboardScreens } from './dashboard/screens.ts';
import { dashboardScrolling } from './dashboard/scrolling.ts';
import { dashboardStorm } from './dashboard/storm.ts';
import { dismissalsCase } from './dismissals.ts';
import { distinctPostgres } from './distinct-postgres.ts';
import { distinctSqlite } from './distinct-sqlite.ts';
import { eventListeners, eventsInStorm } from './events.ts';
import { groupsCase } from './groups.ts';
import { ignored } from './ignored.ts';
import { incidentCase } from './incident.ts';
import { limitedCase } from './limited.ts';
import { listCase } from './list.ts';
import { memory } from './memory.ts';
import { operatorCase } from './operator.ts';
import { overloadCase } from './overload.ts';
import { parallelSqlite } from './parallel-sqlite.ts';
import { pollsCase } from './polls.ts';
import { revocation } from './revocation.ts';
import { rolloutStopCase } from './rollout-stop.ts';
import { siteLatency, siteMemory, siteRates } from './site.ts';
import { sitesCase } from './sites.ts';
import { start } from './start.ts';
import { summaryCase } from './summary.ts';

/** In the order in which they run. */
export const cases: readonly Case[] = [
  ignored,
  distinctSqlite,
  parallelSqlite,
  distinctPostgres,
  listCase('sqlite'),
  listCase('postgres'),
  operatorCase('sqlite'),
  operatorCase('postgres'),
  groupsCase('sqlite'),
  groupsCase('postgres'),
  countingPostgres,
  dismissalsCase('sqlite'),
  dismissalsCase('postgres'),
  eventsInStorm,
  eventListeners,
  summaryCase('sqlite'),
  summaryCase('postgres'),
  incidentCase('sqlite'),
  incidentCase('postgres'),
  overloadCase('sqlite'),
  overloadCase('postgres'),
  limitedCase('sqlite'),
  limitedCase('postgres'),
  memory,
  connections,
  start,
  auditCase('sqlite'),
  auditCase('postgres'),
  besideTelemetryCase('sqlite'),
  besideTelemetryCase('postgres'),
  besideBackupCase('sqlite'),
  besideBackupCase('postgres'),
  sitesCase('sqlite'),
  sitesCase('postgres'),
  pollsCase('sqlite'),
  pollsCase('postgres'),
  rolloutStopCase('sqlite'),
  rolloutStopCase('postgres'),
  revocation,
  siteRates,
  siteLatency,
  siteMemory,
  dashboardFirstLoad,
  dashboardScreens,
  dashboardScrolling,
  dashboardMemory,
  dashboardStorm,
  againstCase('sqlite'),
  againstCase('postgres'),
];
