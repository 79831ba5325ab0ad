import { Type } from 'typebox';
import { defineRoute } from '../route.ts';
import { AuditChain, AuditEntry, auditActions } from '../schemas/audit.ts';
import { IDParameter, pageQuery, TimestampInput } from '../schemas/common.ts';

const projectParams = Type.Object({ projectID: IDParameter('The project.') });

/** With `read:*` alone, as a viewer has it, nobody sees who did what, and from which address. */
const forOwners = {
  tag: 'Audit log',
  permission: 'read:audit_log',
  furtherPermission: 'update:member',
} as const;

const filters = {
  ...pageQuery,
  actor_id: Type.Optional(IDParameter('Only what this user, token or agent did.')),
  action: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: `Only this action; \`token.*\` means all that begin with \`token.\`. Actions: ${auditActions.map((action) => `\`${action}\``).join(', ')}.`,
    }),
  ),
  target_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'Only what was done to the thing with this id; of `request.denied`, the operation.',
    }),
  ),
  since: Type.Optional(TimestampInput('Only entries from this time on.')),
  until: Type.Optional(TimestampInput('Only entries before this time.')),
};

const exported = {
  status: 200,
  schema: Type.String(),
  mediaType: 'application/x-ndjson',
} as const;

const portion = {
  after: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'Only entries with a higher sequence number, to continue an earlier export. Absent: all.',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'At most so many entries. Continue with `after`. Absent: all.',
    }),
  ),
};

export const listAuditEntries = defineRoute({
  operationID: 'listAuditEntries',
  method: 'GET',
  path: '/v1/projects/{projectID}/audit_log',
  summary: 'List the audit log of a project',
  description:
    'Who changed what, newest first. Needs `update:member` too, so that only owners and administrators see it, and tokens that they have given both permissions.',
  ...forOwners,
  credentials: ['access', 'project'],
  params: projectParams,
  query: Type.Object(filters),
  answer: { status: 200, schema: Type.Array(AuditEntry), description: 'A page of entries.', paged: true },
  problems: ['not_found'],
});

export const getAuditChain = defineRoute({
  operationID: 'getAuditChain',
  method: 'GET',
  path: '/v1/projects/{projectID}/audit_log/chain',
  summary: 'Get the ends of the audit log of a project',
  description:
    'What a verification begins and ends with. Keep `head` elsewhere to prove later that no entry up to it was removed.',
  ...forOwners,
  credentials: ['access', 'project'],
  params: projectParams,
  answer: { status: 200, schema: AuditChain, description: 'The ends of the chain.' },
  problems: ['not_found'],
});

export const exportAuditLog = defineRoute({
  operationID: 'exportAuditLog',
  method: 'GET',
  path: '/v1/projects/{projectID}/audit_log/export',
  summary: 'Export the audit log of a project',
  description:
    'JSON lines: first an AuditChain, then each AuditEntry, oldest first. `muster audit verify FILE` checks such a file.',
  ...forOwners,
  credentials: ['access', 'project'],
  params: projectParams,
  query: Type.Object(portion),
  answer: { ...exported, description: 'The whole log, or what follows `after`.' },
  problems: ['not_found'],
});

export const listInstallationAuditEntries = defineRoute({
  operationID: 'listInstallationAuditEntries',
  method: 'GET',
  path: '/v1/audit_log',
  summary: 'List the audit log of the installation',
  description:
    'Newest first: what belongs to no project (users, access tokens, sessions), and the logs of all projects, also of deleted ones.',
  ...forOwners,
  credentials: ['access'],
  scope: 'installation',
  query: Type.Object({
    ...filters,
    project_id: Type.Optional(IDParameter('Only the log of this project, which may have been deleted.')),
  }),
  answer: { status: 200, schema: Type.Array(AuditEntry), description: 'A page of entries.', paged: true },
});

export const listAuditChains = defineRoute({
  operationID: 'listAuditChains',
  method: 'GET',
  path: '/v1/audit_log/chains',
  summary: 'List the ends of all audit logs',
  description:
    'Of each project that has entries, also of deleted ones, and of what belongs to no project. Newest project first.',
  ...forOwners,
  credentials: ['access'],
  scope: 'installation',
  query: Type.Object(pageQuery),
  answer: { status: 200, schema: Type.Array(AuditChain), description: 'A page of chains.', paged: true },
});

export const exportInstallationAuditLog = defineRoute({
  operationID: 'exportInstallationAuditLog',
  method: 'GET',
  path: '/v1/audit_log/export',
  summary: 'Export the audit log of the installation',
  description:
    'As the export of a project: one log after the other, each with its AuditChain before it. With `project_id`, one log.',
  ...forOwners,
  credentials: ['access'],
  scope: 'installation',
  query: Type.Object({
    project_id: Type.Optional(
      IDParameter(
        'Only the log of this project, which may have been deleted; only zeros: what belongs to no project. `after` and `limit` need it.',
      ),
    ),
    ...portion,
  }),
  answer: { ...exported, description: 'All logs.' },
  problems: ['not_found'],
});
