import { MultiSelect, NativeSelect, Radio, Stack, TextInput } from '@mantine/core';
import { type AccessToken, type CreateAccessToken, createAccessToken } from '@muster/client';
import { type Grant, visibleText } from '@muster/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { useNow } from '../../parts/now.tsx';
import { PermissionPicker } from '../../permissions/permission-picker.tsx';
import { client } from '../../service/client.ts';
import { projectsQuery } from '../../session/session-queries.ts';
import { accessTokensTexts } from '../../texts/access-tokens.ts';

const lifetimes = ['30', '90', '365', 'never'] as const;
const reaches = ['all', 'read', 'chosen'] as const;
type Reach = (typeof reaches)[number];

interface CreateAccessTokenDialogProps {
  readonly onCreated: (token: AccessToken) => Promise<void>;
  readonly onClose: () => void;
}

/** Creates an access token, narrowed to projects and permissions. */
export function CreateAccessTokenDialog({ onCreated, onClose }: CreateAccessTokenDialogProps) {
  const now = useNow();
  const { data: myProjects = [] } = useQuery(projectsQuery);
  const [name, setName] = useState('');
  const [days, setDays] = useState('90');
  const [projects, setProjects] = useState<string[]>([]);
  const [reach, setReach] = useState<Reach>('all');
  const [permissions, setPermissions] = useState<readonly Grant[]>([]);
  const create = async () => {
    const token = await createAccessToken(client, {
      body: {
        name,
        expiresAt: endOf(days, now.get()),
        projects: projects.length === 0 ? null : projects,
        permissions: grantsOf(reach, permissions),
      },
    });
    await onCreated(token);
  };
  return (
    <ConfirmDialog
      isOpen
      title={accessTokensTexts.createTitle}
      confirm={accessTokensTexts.create}
      isDisabled={name.trim() === '' || (reach === 'chosen' && permissions.length === 0)}
      onConfirm={create}
      onClose={onClose}
    >
      <Stack gap="md">
        <TextInput
          label={accessTokensTexts.name}
          description={accessTokensTexts.nameText}
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          maxLength={128}
          autoComplete="off"
          data-autofocus
        />
        <NativeSelect
          label={accessTokensTexts.expires}
          value={days}
          onChange={({ currentTarget }) => setDays(currentTarget.value)}
          data={lifetimes.map((value) => ({ value, label: accessTokensTexts.lifetimes[value] }))}
        />
        <MultiSelect
          label={accessTokensTexts.projects}
          description={accessTokensTexts.projectsText}
          placeholder={projects.length === 0 ? accessTokensTexts.allProjects : ''}
          value={projects}
          onChange={setProjects}
          data={myProjects.map(({ id, name }) => ({ value: id, label: visibleText(name) }))}
          searchable
          clearable
        />
        <Radio.Group
          label={accessTokensTexts.permissions}
          value={reach}
          onChange={(value) => setReach(reaches.find((one) => one === value) ?? 'all')}
        >
          <Stack gap={6} mt={6}>
            {reaches.map((value) => (
              <Radio key={value} value={value} label={accessTokensTexts.reaches[value]} />
            ))}
          </Stack>
        </Radio.Group>
        {reach === 'chosen' && (
          <PermissionPicker audience="person" value={permissions} onChange={setPermissions} />
        )}
      </Stack>
    </ConfirmDialog>
  );
}

function endOf(days: string, now: number): string | null {
  return days === 'never' ? null : new Date(now + Number(days) * 86_400_000).toISOString();
}

function grantsOf(reach: Reach, permissions: readonly Grant[]): CreateAccessToken['permissions'] {
  if (reach === 'all') return null;
  return reach === 'read' ? ['read:*'] : permissions;
}
