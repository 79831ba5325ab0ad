const everyResource = 'project token agent agent_error fleet core_instance webhook member audit_log *'.split(
  ' ',
);

/** Every permission and every wildcard, from the grammar as it is documented. */
export const everyGrant: readonly string[] = [
  '*',
  ...['create', 'read', 'update', 'delete', '*'].flatMap((action) =>
    everyResource.map((resource) => `${action}:${resource}`),
  ),
];

/** True if a grant covers a permission, by the literal grammar. */
export function isCovered(permission: string, grant: string): boolean {
  const [action, resource] = permission.split(':');
  return ['*', '*:*', `${action}:*`, `*:${resource}`, permission].includes(grant);
}
