import { actorOf, nameOf, type Principal } from '../../foundation/credentials/principal.ts';

/** Who makes a fleet or a version: the caller of a request, or the service itself and what made it act. */
export type VersionAuthor = Principal | { readonly kind: 'system'; readonly name: string };

/** As rows name it. */
export function authorOf(by: VersionAuthor) {
  const { kind, id } = by.kind === 'system' ? { kind: by.kind, id: null } : actorOf(by);
  return {
    created_by_kind: kind,
    created_by_id: id,
    created_by_name: by.kind === 'system' ? by.name : nameOf(by),
  };
}
