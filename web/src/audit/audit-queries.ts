import { listAuditEntries, listInstallationAuditEntries } from '@muster/client';
import { client } from '../service/client.ts';
import { pagedQuery } from '../service/paged-query.ts';
import { projectKey } from '../service/query-client.ts';
import { type AuditSearch, filterOf } from './audit-search.ts';

/** @param projectID undefined: of the installation, with the logs of all projects */
export function auditQuery(projectID: string | undefined, search: AuditSearch) {
  const filter = filterOf(search);
  if (projectID === undefined) {
    return pagedQuery({
      queryKey: ['audit', filter],
      topics: [],
      list: (page, options) => listInstallationAuditEntries(client, { ...filter, ...page }, options),
    });
  }
  return pagedQuery({
    queryKey: [...projectKey(projectID), 'audit', filter],
    // The stream tells of most changes that are recorded. Members are told of, alerts and names of projects are not.
    topics: ['tokens', 'members', 'dismissals', 'agents', 'causes'],
    list: (page, options) => listAuditEntries(client, { projectID, ...filter, ...page }, options),
  });
}
