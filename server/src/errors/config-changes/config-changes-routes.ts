import { type AgentConfigChange, maxListedCauses, routes } from '@muster/contract';
import { toTimestamp } from '../../foundation/clock.ts';
import { answerPage, pageOf, type RouteMounter } from '../../foundation/http/mount-route.ts';
import type { ConfigChange, ConfigChangesService } from './config-changes-service.ts';
import type { CauseRow } from './config-changes-store.ts';

export function mountConfigChangesRoutes(mounter: RouteMounter, changes: ConfigChangesService): void {
  mounter.mount(routes.listAgentConfigChanges, async (call) => {
    const { agentID } = call.params;
    const list = `configuration changes of ${agentID}`;
    return answerPage(
      list,
      call,
      await changes.list(call.principal, agentID, pageOf(list, call)),
      toConfigChange,
    );
  });
}

function toConfigChange({ id, createdAt, isCurrent, causes, came, went }: ConfigChange): AgentConfigChange {
  return {
    configID: id,
    createdAt: toTimestamp(createdAt),
    current: isCurrent,
    errorsCount: causes.reduce((sum, { errors }) => sum + errors, 0),
    causesCount: causes.length,
    came: came.slice(0, maxListedCauses).map(toCause),
    cameCount: came.length,
    went: went.slice(0, maxListedCauses).map(toCause),
    wentCount: went.length,
  };
}

function toCause({ groupID, pattern, errors, firstSeenAt, lastSeenAt }: CauseRow) {
  return {
    groupID,
    pattern,
    errorsCount: errors,
    firstSeenAt: toTimestamp(firstSeenAt),
    lastSeenAt: toTimestamp(lastSeenAt),
  };
}
