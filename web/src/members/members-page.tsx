import { Button } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { useArrival } from '../app/use-arrival.ts';
import { Page } from '../parts/page.tsx';
import { Sections } from '../parts/sections.tsx';
import { useMay } from '../session/use-may.ts';
import { membersTexts } from '../texts/members.ts';
import { InvitationsSection } from './invitations/invitations-section.tsx';
import { InviteDialog } from './invitations/invite-dialog.tsx';
import { readMembersSearch } from './members-search.ts';
import { MembersSection } from './members-section.tsx';

const route = getRouteApi('/projects/$projectID/members');

/** Who has which role in a project, and who is invited. */
export function MembersPage() {
  const { projectID } = route.useParams();
  const { section = 'members' } = route.useSearch({ select: readMembersSearch });
  const mayInvite = useMay(projectID)('create:member');
  const [isInviting, setIsInviting] = useState(false);
  useArrival(
    'create',
    useCallback(() => setIsInviting(true), []),
  );
  return (
    <Page
      title={membersTexts.title}
      description={membersTexts.description}
      actions={mayInvite && <Button onClick={() => setIsInviting(true)}>{`${membersTexts.invite}…`}</Button>}
    >
      <Sections
        label={membersTexts.sectionsLabel}
        current={section}
        sections={[
          { id: 'members', text: membersTexts.title },
          { id: 'invitations', text: membersTexts.invitations },
        ]}
      />
      {section === 'members' ? (
        <MembersSection projectID={projectID} />
      ) : (
        <InvitationsSection projectID={projectID} />
      )}
      {isInviting && <InviteDialog projectID={projectID} onClose={() => setIsInviting(false)} />}
    </Page>
  );
}
