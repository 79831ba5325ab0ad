import { Checkbox, Text } from '@mantine/core';
import { type Fleet, type FleetVersion, updateFleet } from '@muster/client';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { showDone } from '../../parts/toasts.tsx';
import { client } from '../../service/client.ts';
import { fleetsTexts } from '../../texts/fleets.ts';
import { rolloutsTexts } from '../../texts/rollouts.ts';
import { fleetsKey } from '../fleets-query.ts';
import classes from './fleet-page.module.css';
import { VersionDiff } from './version-diff.tsx';

interface ServeDialogProps {
  readonly fleet: Fleet;
  readonly version: FleetVersion;
  readonly agentsCount: number;
  readonly onClose: () => void;
}

/** Shows what changes for the agents of a fleet, and for how many, before all of them get a version. */
export function ServeDialog({ fleet, version, agentsCount, onClose }: ServeDialogProps) {
  const { id: fleetID, projectID, name, currentVersion } = fleet;
  const queries = useQueryClient();
  const [despiteBad, setDespiteBad] = useState(false);
  return (
    <ConfirmDialog
      isOpen
      size="lg"
      title={fleetsTexts.serveTitle(version.number, name)}
      confirm={fleetsTexts.serveConfirm(agentsCount)}
      isDisabled={version.isBad && !despiteBad}
      onConfirm={async () => {
        const body = { versionID: version.id, ...(despiteBad ? { despiteBad } : {}) };
        await updateFleet(client, { fleetID, body });
        showDone(fleetsTexts.nowServed(version.number));
        await queries.invalidateQueries({ queryKey: fleetsKey(projectID) });
      }}
      onClose={onClose}
    >
      <Text size="sm" fw={600}>
        {fleetsTexts.serveText(agentsCount)}
      </Text>
      {currentVersion !== null && version.number < currentVersion.number && (
        <Text size="sm">{fleetsTexts.serveBack}</Text>
      )}
      {version.isBad && (
        <Checkbox
          mt="sm"
          label={rolloutsTexts.despiteBad}
          checked={despiteBad}
          onChange={({ currentTarget }) => setDespiteBad(currentTarget.checked)}
        />
      )}
      <div className={classes.dialogDiff}>
        <VersionDiff
          projectID={projectID}
          versionID={version.id}
          against={currentVersion?.id}
          label={fleetsTexts.whatChanges}
        />
      </div>
    </ConfirmDialog>
  );
}
