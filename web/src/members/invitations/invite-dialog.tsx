import { Stack, Text, TextInput } from '@mantine/core';
import { createInvitation } from '@muster/client';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { SecretDialog } from '../../parts/secret-dialog.tsx';
import { client } from '../../service/client.ts';
import { isLoopback } from '../../service/is-loopback.ts';
import { rootURL } from '../../service/root-url.ts';
import { useHeldGrants } from '../../session/use-may.ts';
import { membersTexts } from '../../texts/members.ts';
import { invitationsQuery } from '../member-queries.ts';
import { givableRoles } from '../member-rights.ts';
import { type ChosenRole, RoleFields, roleBody } from '../role-fields.tsx';

/** Invites somebody, and shows the link once. */
export function InviteDialog({
  projectID,
  onClose,
}: {
  readonly projectID: string;
  readonly onClose: () => void;
}) {
  const held = useHeldGrants(projectID);
  const [email, setEmail] = useState('');
  const [chosen, setChosen] = useState<ChosenRole>(() => ({
    role: givableRoles(held).at(-1) ?? 'custom',
    permissions: [],
  }));
  // It lives here alone, until the dialog is closed.
  const [link, setLink] = useState<string>();
  const hasLink = useRef(false);
  const queries = useQueryClient();
  const body = roleBody(chosen);
  const invite = async () => {
    const note = email.trim() === '' ? {} : { email: email.trim() };
    const created = await createInvitation(client, { projectID, body: { ...body, ...note } });
    hasLink.current = true;
    setLink(new URL(`invitation/${created.code}`, rootURL).href);
    await queries.invalidateQueries({ queryKey: invitationsQuery(projectID).queryKey });
  };
  if (link !== undefined) {
    return (
      <SecretDialog title={membersTexts.linkTitle} secret={link} onClose={onClose}>
        <Text size="sm" mt="md">
          {membersTexts.linkText}
        </Text>
        {isLoopback(rootURL) && (
          <Text size="sm" mt="xs">
            {membersTexts.linkOfThisMachine(rootURL.host)}
          </Text>
        )}
      </SecretDialog>
    );
  }
  return (
    <ConfirmDialog
      isOpen
      title={membersTexts.inviteTitle}
      confirm={membersTexts.invite}
      isDisabled={body === undefined}
      onConfirm={invite}
      onClose={() => {
        // A dialog that has done its work closes itself, and must not take the link with it.
        if (!hasLink.current) onClose();
      }}
    >
      <Stack gap="md">
        <TextInput
          type="email"
          label={membersTexts.email}
          description={membersTexts.emailText}
          value={email}
          onChange={({ currentTarget }) => setEmail(currentTarget.value)}
          maxLength={254}
          autoComplete="off"
          data-autofocus
        />
        <RoleFields value={chosen} held={held} onChange={setChosen} />
      </Stack>
    </ConfirmDialog>
  );
}
