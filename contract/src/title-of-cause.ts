import type { AgentErrorGroup } from './schemas/agent-error-group.ts';

/**
 * What a person calls a cause: the title of the catalogue of known errors, with the plugin that says it, such as "Destination not reachable (loki)".
 * Undefined: the error is not known there.
 */
export function titleOfCause({
  explanation,
  pattern,
}: Pick<AgentErrorGroup, 'pattern'> & {
  readonly explanation: { readonly title: string } | null;
}): string | undefined {
  if (explanation === null) return undefined;
  const plugin = /\[(?:input|filter|output):([\w.-]{1,64}?):/.exec(pattern)?.[1];
  return plugin === undefined ? explanation.title : `${explanation.title} (${plugin})`;
}
