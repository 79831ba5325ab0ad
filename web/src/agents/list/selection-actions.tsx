import { Box, Button } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { whenReachable } from '../../service/when-reachable.ts';
import { useMay } from '../../session/use-may.ts';
import { agentsTexts } from '../../texts/agents.ts';

const MoveAgentsDialog = lazy(
  whenReachable(async () => ({ default: (await import('./move-agents-dialog.tsx')).MoveAgentsDialog })),
);

interface SelectionActionsProps {
  readonly projectID: string;
  readonly agents: readonly { readonly id: string; readonly name: string }[];
  /** Absent: the user may not delete agents. */
  readonly onDelete: (() => void) | undefined;
  readonly onMoved: () => void;
}

/** True: the user may do something with agents that are selected. */
export function useMayActOnAgents(projectID: string): boolean {
  const may = useMay(projectID);
  return may('delete:agent') || mayMove(may);
}

/** What can be done with the agents that are selected. */
export function SelectionActions({ projectID, agents, onDelete, onMoved }: SelectionActionsProps) {
  const [isMoving, setIsMoving] = useState(false);
  const may = useMay(projectID);
  return (
    <>
      {mayMove(may) && (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={agentsTexts.moving.ask}
          onClick={() => setIsMoving(true)}
        >
          <Box component="span" visibleFrom="sm">
            {agentsTexts.moving.ask}
          </Box>
          <Box component="span" hiddenFrom="sm">
            {agentsTexts.moving.askShort}
          </Box>
        </Button>
      )}
      {onDelete !== undefined && (
        <Button size="compact-sm" color="red.9" onClick={onDelete}>
          {agentsTexts.deleteSelected}
        </Button>
      )}
      {isMoving && (
        <Suspense>
          <MoveAgentsDialog
            projectID={projectID}
            agents={agents}
            onDone={onMoved}
            onClose={() => setIsMoving(false)}
          />
        </Suspense>
      )}
    </>
  );
}

function mayMove(may: ReturnType<typeof useMay>): boolean {
  return may('read:fleet') && may('update:fleet') && may('update:agent');
}
