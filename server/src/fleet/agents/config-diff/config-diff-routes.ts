import { routes } from '@muster/contract';
import { toTimestamp } from '../../../foundation/clock.ts';
import type { RouteMounter } from '../../../foundation/http/mount-route.ts';
import type { AgentConfigRow } from '../agent-store.ts';
import type { ConfigDiffService } from './config-diff-service.ts';

export function mountConfigDiffRoutes(mounter: RouteMounter, diffs: ConfigDiffService): void {
  mounter.mount(
    routes.getAgentConfigDiff,
    async ({ principal, params, query }) => {
      const { from, to, difference } = await diffs.compare(principal, params.agentID, query);
      const { hunks, addedLines, removedLines, isCoarse } = difference;
      const head = `--- ${from === undefined ? '/dev/null' : nameInHead(from)}\n+++ ${nameInHead(to)}\n`;
      return {
        from: from === undefined ? null : toCompared(from),
        to: toCompared(to),
        diff: hunks === '' ? '' : head + hunks,
        addedLines,
        removedLines,
        isCoarse,
      };
    },
    // An answer can have several megabytes.
    { takesTurns: () => true },
  );
}

function toCompared({ id, created_at }: AgentConfigRow) {
  return { id, createdAt: toTimestamp(created_at) };
}

function nameInHead({ id, created_at }: AgentConfigRow): string {
  return `${id}\t${toTimestamp(created_at)}`;
}
