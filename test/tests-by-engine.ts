/**
 * Which tests run on PostgreSQL. All others run on SQLite alone: most code does not know the engine, and a second run of its tests costs as much
 * as the first one and finds nothing.
 *
 * On PostgreSQL runs
 * 1. what has statements, locks or plans of its own for it: a file for one engine, or a choice by `engine`;
 * 2. what several replicas share: what one changes is in force on the other;
 * 3. of all the rest, each route once with whole answers, each route with a valid and an invalid credential, and random sequences of requests
 *    beside SQLite. They find a number that comes back as text, another order, and a statement that only SQLite accepts.
 *
 * `test/architecture/engines.test.ts` fails if a folder with code for PostgreSQL has no test in these lists.
 */

/** What needs PostgreSQL: several processes or sessions on one database, its plans, or both engines side by side. */
export const onPostgresOnly = [
  'test/{replicas,differential}/**/*.test.ts',
  'server/src/errors/{intake/report-plan,intake/insert-new-postgres,errors-of-agent-plan,search-turns}.test.ts',
  'server/src/upkeep/retention/retention-race.test.ts',
  'server/src/fleet/agents/{replaced-token,states/heard-while-counted}.test.ts',
  'server/src/record/events/event-replicas.test.ts',
  'test/backup/refusals-postgres.test.ts',
  'test/browser/dashboard/journeys-postgres.test.ts',
  'server/src/errors/alerts/outbox/outbox-replicas.test.ts',
  'server/src/fleet/fleets/{rollouts/rollout,values/fleet-values}-replicas.test.ts',
  'server/src/errors/dismissals/dismissal-plan.test.ts',
  'server/src/errors/groups/counting/counting-partitions.test.ts',
  'server/src/foundation/database/{plans-of-sessions,silent-server,logged-failures,session-time-limits}.test.ts',
];

/** By room. Those that never ask which engine a test has are left out of the second run anyway. */
export const onBothEngines = [
  // 1. Statements, locks and plans of their own.
  'server/src/errors/{config-changes,dismissals,groups,intake}/**/*.test.ts',
  'server/src/errors/limits/{known-limits,new-error-limits,reached-limits}.test.ts',
  'server/src/errors/{dismiss,list,paging,reopen,search}-*.test.ts',
  'server/src/errors/reporting/{create-*,ignore-rule,repeats}.test.ts',
  'server/src/fleet/agents/{deletion,liveness,states}/**/*.test.ts',
  'server/src/fleet/agents/{agent-list-store,list-agents,list-agents-by-status,register-agent,register-agent-again}.test.ts',
  'server/src/errors/alerts/{channels/alert-channels,preview/rule-preview,rules/*}.test.ts',
  'server/src/{record/audit,record/events,fleet/project-history,fleet/usage}/*.test.ts',
  'server/src/record/audit-log/audit-log.test.ts',
  'server/src/core-instances/**/*.test.ts',
  'test/core-instance/{fleets,moves}-at-site.test.ts',
  'server/src/fleet/fleets/{*,rollouts/{rollouts,rollouts-in-turn,rollout-looks,rollout-restarts,agents-by-fleet-id,silent-agents,shown-rollouts,deleted-agents},values/{fleet-values,fleet-values-purge}}.test.ts',
  'server/src/foundation/database/*.test.ts',
  'server/src/foundation/http/overload/unknown-outcomes.test.ts',
  'server/src/fleet/projects/{delete-project,list-projects}.test.ts',
  'server/src/upkeep/retention/{closing-purge,ended-tokens,retention}.test.ts',
  'server/src/upkeep/moves/*.test.ts',
  'server/src/app/{remembered,start/first-start}.test.ts',
  'server/src/people/tokens/{delegation-race,last-used,list-tokens,presented-token-store,token-usage}.test.ts',
  'server/src/people/users/{access-tokens,access-token-last-used}.test.ts',
  'test/backup/{backup-restore,doctor,reset-token}.test.ts',
  // 2. What replicas share. SQLite has one process, which is then both.
  'server/src/people/leaks/report-*.test.ts',
  'server/src/people/members/{escalation-property,member-change-replicas,member-tokens}.test.ts',
  'server/src/people/provisioning/provisioning-race.test.ts',
  'server/src/people/tokens/lineage-property.test.ts',
  'server/src/people/tokens/rotation/{rotate-token,token-life-property}.test.ts',
  'server/src/people/users/sessions/{session-life-property,sessions,sign-in-link}.test.ts',
  // 3. Each route.
  'server/src/foundation/http/credential-table/credential-table.test.ts',
  'test/client/operations.test.ts',
];
