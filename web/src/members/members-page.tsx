import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { useArrival } from '../app/use-arrival.ts';
import { Page } from '../parts/page.tsx';
import { Sections } from '../parts/sections.tsx';
import { useMay } from '../session/use-may.ts';
import { membersTexts } from '../texts/members.ts';
import { InvitationsSection } from './invitations/invitations-section.tsx';
import { InviteDialog } from './invitations/invite-dialog.tsx';
import { invitationsQuery, membersQuery } from './member-queries.ts';
import { readMembersSearch } from './members-search.ts';
import { MembersSection } from './members-section.tsx';

const route = getRouteApi('/projects/$projectID/members');

/** Who has which role in a project, and who is invited. */
export function MembersPage() {
  const { projectID } = route.useParams();
  const { section = 'members' } = route.useSearch({ select: readMembersSearch });
  const mayInvite = useMay(projectID)('create:member');
  const [isInviting, setIsInviting] = useState(false);
  const members = countOf(useInfiniteQuery(membersQuery(projectID)));
  const invitations = countOf(useInfiniteQuery(invitationsQuery(projectID)));
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
          { id: 'members', text: membersTexts.title, count: members },
          { id: 'invitations', text: membersTexts.invitations, count: invitations },
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

interface Listed {
  readonly data: { readonly pages: readonly { readonly items: readonly unknown[] }[] } | undefined;
  readonly hasNextPage: boolean;
}

/** Undefined: not all of them are read. */
function countOf({ data, hasNextPage }: Listed): number | undefined {
  return hasNextPage ? undefined : data?.pages.reduce((sum, { items }) => sum + items.length, 0);
}
