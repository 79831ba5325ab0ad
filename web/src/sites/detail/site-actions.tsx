import { Button, NativeSelect, Text, TextInput } from '@mantine/core';
import {
  type CoreInstance,
  deleteCoreInstance,
  rotateCoreInstance,
  updateCoreInstance,
} from '@muster/client';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { showDone } from '../../parts/toasts.tsx';
import { client } from '../../service/client.ts';
import { useMay } from '../../session/use-may.ts';
import { sitesTexts } from '../../texts/sites.ts';
import { siteQuery, sitesKey, sitesQuery } from '../site-queries.ts';

interface SiteProps {
  readonly projectID: string;
  readonly site: CoreInstance;
}

type Asked = 'rename' | 'rotate' | 'delete';

/** What the user may do with a site. */
export function SiteActions({ projectID, site }: SiteProps) {
  const [asked, setAsked] = useState<Asked>();
  const may = useMay(projectID);
  const dialog = { projectID, site, onClose: () => setAsked(undefined) };
  return (
    <>
      {may('update:core_instance') && (
        <>
          <Button variant="default" onClick={() => setAsked('rename')}>
            {sitesTexts.rename}
          </Button>
          <Button variant="default" onClick={() => setAsked('rotate')}>
            {sitesTexts.rotate}
          </Button>
        </>
      )}
      {may('delete:core_instance') && (
        <Button variant="default" c="var(--muster-bad)" onClick={() => setAsked('delete')}>
          {sitesTexts.delete}
        </Button>
      )}
      {asked === 'rename' && <RenameDialog {...dialog} />}
      <RotateDialog {...dialog} isOpen={asked === 'rotate'} />
      <DeleteDialog {...dialog} isOpen={asked === 'delete'} />
    </>
  );
}

interface DialogProps extends SiteProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function RenameDialog({ projectID, site, onClose }: Omit<DialogProps, 'isOpen'>) {
  const [name, setName] = useState(site.name);
  const queries = useQueryClient();
  return (
    <ConfirmDialog
      isOpen
      title={sitesTexts.renameTitle(site.name)}
      confirm={sitesTexts.renameConfirm}
      isDisabled={name.trim() === '' || name === site.name}
      onConfirm={async () => {
        await updateCoreInstance(client, { coreInstanceID: site.id, body: { name } });
        await queries.invalidateQueries({ queryKey: sitesKey(projectID) });
        showDone(sitesTexts.renamed);
      }}
      onClose={onClose}
    >
      <TextInput
        label={sitesTexts.name}
        value={name}
        maxLength={128}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        autoComplete="off"
        dir="auto"
        data-autofocus
      />
    </ConfirmDialog>
  );
}

const graceSeconds = { day: 86_400, week: 604_800, none: 0 } as const;
const graces = ['day', 'week', 'none'] as const;

/** Asks how long the earlier token is valid, and lets the site get itself a new one. */
function RotateDialog({ projectID, site: { id, name }, isOpen, onClose }: DialogProps) {
  const queries = useQueryClient();
  const [grace, setGrace] = useState<(typeof graces)[number]>('day');
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={sitesTexts.rotateTitle(name)}
      confirm={sitesTexts.rotateConfirm}
      onConfirm={async () => {
        const body = { graceSeconds: graceSeconds[grace] };
        await rotateCoreInstance(client, { coreInstanceID: id, body });
        void queries.invalidateQueries({ queryKey: sitesKey(projectID) });
        showDone(sitesTexts.rotateDone);
      }}
      onClose={onClose}
    >
      <Text size="sm" mb="md">
        {sitesTexts.rotateText}
      </Text>
      <NativeSelect
        label={sitesTexts.grace}
        value={grace}
        onChange={({ currentTarget }) => setGrace(graces.find((one) => one === currentTarget.value) ?? 'day')}
        data={graces.map((value) => ({ value, label: sitesTexts.graces[value] }))}
      />
    </ConfirmDialog>
  );
}

function DeleteDialog({ projectID, site, isOpen, onClose }: DialogProps) {
  const { id, name, spooledCount } = site;
  const queries = useQueryClient();
  const navigate = useNavigate();
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={sitesTexts.deleteTitle(name)}
      confirm={sitesTexts.deleteConfirm}
      isDangerous
      onConfirm={async () => {
        await deleteCoreInstance(client, { coreInstanceID: id });
        showDone(sitesTexts.deleted(name));
        await navigate({ to: '/projects/$projectID/sites', params: { projectID } });
        queries.removeQueries({ queryKey: siteQuery(projectID, id).queryKey });
        await queries.invalidateQueries({ queryKey: sitesQuery(projectID).queryKey });
      }}
      onClose={onClose}
    >
      <Text size="sm">{sitesTexts.deleteText}</Text>
      {spooledCount > 0 && (
        <Text size="sm" mt="sm" fw={600} c="var(--muster-bad)">
          {sitesTexts.deleteWaits(spooledCount)}
        </Text>
      )}
    </ConfirmDialog>
  );
}
