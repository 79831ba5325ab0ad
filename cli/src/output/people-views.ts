import type { Actor, Invitation, Member, Session, User } from '@muster/client';
import type { View } from './printer.ts';

export const memberView: View<Member> = {
  id: ({ userID }) => userID,
  columns: [
    { title: 'USER', cell: ({ userID }, format) => format.id(userID) },
    { title: 'NAME', isFlexible: true, cell: ({ name }) => name },
    { title: 'ROLE', cell: ({ role }) => role },
    { title: 'PERMISSIONS', isFlexible: true, leaveOut: 2, cell: ({ permissions }) => permissions.join(' ') },
    { title: 'SINCE', leaveOut: 1, cell: ({ createdAt }, { time }) => time(createdAt) },
  ],
  details: (member, { time }) => [
    ['user', member.userID],
    ['name', member.name],
    ['role', member.role],
    ['permissions', member.permissions.join(' ') || 'none'],
    ['member since', time(member.createdAt)],
  ],
};

export const invitationView: View<Invitation> = {
  id: ({ id }) => id,
  columns: [
    { title: 'ID', cell: ({ id }, format) => format.id(id) },
    { title: 'EMAIL', isFlexible: true, cell: ({ email }) => email ?? '' },
    { title: 'ROLE', cell: ({ role }) => role },
    { title: 'EXPIRES', leaveOut: 1, cell: ({ expiresAt }, { time }) => time(expiresAt) },
    { title: 'CREATED', leaveOut: 2, cell: ({ createdAt }, { time }) => time(createdAt) },
  ],
  details: (invitation, { time }) => [
    ['id', invitation.id],
    ['email', invitation.email ?? 'none'],
    ['role', invitation.role],
    ['permissions', invitation.permissions.join(' ') || 'none'],
    ['expires', time(invitation.expiresAt)],
  ],
};

export const userView: View<User> = {
  id: ({ id }) => id,
  columns: [
    { title: 'ID', cell: ({ id }, format) => format.id(id) },
    { title: 'NAME', isFlexible: true, cell: ({ name }) => name },
    {
      title: 'ACCESS',
      cell: describeAccess,
      tone: ({ hasAccess }) => (hasAccess ? 'good' : 'faint'),
    },
    { title: 'PROJECTS', leaveOut: 2, cell: ({ projectsCount }) => String(projectsCount) },
    { title: 'GROUPS', isFlexible: true, leaveOut: 3, cell: ({ claimValues }) => claimValues.join(' ') },
    { title: 'ISSUER', isFlexible: true, leaveOut: 4, cell: ({ issuer }) => issuer ?? '' },
    { title: 'CREATED', leaveOut: 1, cell: ({ createdAt }, { time }) => time(createdAt) },
  ],
  details: (user, { time }) => [
    ['id', user.id],
    ['name', user.name],
    ['access', describeAccess(user)],
    ['created', time(user.createdAt)],
  ],
};

export const sessionView: View<Session> = {
  id: ({ id }) => id,
  columns: [
    { title: 'ID', cell: ({ id }, format) => format.id(id) },
    { title: 'BROWSER', isFlexible: true, cell: ({ userAgent }) => userAgent ?? '' },
    { title: 'ADDRESS', leaveOut: 3, cell: ({ address }) => address ?? '' },
    { title: 'SIGNED IN WITH', leaveOut: 4, cell: ({ method }) => method.replaceAll('_', ' ') },
    { title: 'LAST USED', cell: ({ lastUsedAt }, { time }) => time(lastUsedAt) },
    { title: 'SIGNED IN', leaveOut: 1, cell: ({ createdAt }, { time }) => time(createdAt) },
    { title: 'ENDS', leaveOut: 2, cell: ({ expiresAt }, { time }) => time(expiresAt) },
  ],
  details: (session, { time }) => [
    ['id', session.id],
    ['user', session.userName],
    ['browser', session.userAgent ?? 'unknown'],
    ['address', session.address ?? 'unknown'],
    ['last used', time(session.lastUsedAt)],
    ['ends', time(session.expiresAt)],
  ],
};

/** In the words of the dashboard. */
export function nameOfActor({ kind, name }: Actor): string {
  return name ?? (kind === 'system' ? 'the service itself' : 'somebody who is gone');
}

function describeAccess({ administrator, hasAccess }: User): string {
  if (administrator) return 'administrator';
  return hasAccess ? 'roles' : 'none';
}
