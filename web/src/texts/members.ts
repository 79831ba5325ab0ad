import { formatNumber } from '../parts/amount.ts';

const tokens = (count: number) =>
  count === 1 ? 'one project token' : `${formatNumber(count)} project tokens`;

export const membersTexts = {
  title: 'Members',
  description:
    'Who may do what in this project. Administrators of the installation may do everything, and are not listed.',
  sectionsLabel: 'Members and invitations',
  invitations: 'Invitations',
  name: 'Name',
  you: 'You',
  role: 'Role',
  roles: { owner: 'Owner', operator: 'Operator', viewer: 'Viewer', custom: 'Chosen permissions' },
  roleTexts: {
    owner: 'Everything, including members and the project itself.',
    operator: 'Reads everything, and changes everything but members and the project itself.',
    viewer: 'Reads everything.',
    custom: 'Exactly what you choose.',
  },
  since: 'Member since',
  by: 'Added by',
  kinds: {
    user: 'A user',
    project_token: 'A token',
    agent: 'An agent',
    core_instance: 'A site',
    system: 'The service',
  },
  changeRole: 'Change role',
  changeText:
    'the new role applies to their next request. Invitations of theirs that are not accepted yet end.',
  roleChanged: 'The role is changed.',
  remove: 'Remove',
  removeTitle: 'Remove this member?',
  leave: 'Leave the project',
  leaveTitle: 'Leave this project?',
  losesAccess: 'loses access to this project at once, in every browser and with every access token.',
  invitationsEnd: (count: number) =>
    count === 1
      ? 'One invitation that they sent and nobody has accepted ends.'
      : `${formatNumber(count)} invitations that they sent and nobody has accepted end.`,
  tokensStay: (count: number, agents: number) =>
    `They created ${tokens(count)} and may know ${count === 1 ? 'its value' : 'their values'}. ${
      count === 1 ? 'It goes' : 'They go'
    } on working, because agents use ${count === 1 ? 'it' : 'them'}${agents === 0 ? '' : `: ${formatNumber(agents)} now`}.`,
  rotatedTokensStay:
    'Project tokens that they have created or rotated go on working, because agents use them.',
  revokeTokens: 'Also revoke the project tokens that they have created or rotated',
  revokeTokensText: 'Agents that report with these tokens stop working.',
  removed: (name: string, kept: number, revoked: number) =>
    [
      `${name} is no longer a member.`,
      ...(revoked > 0 ? [`Revoked: ${tokens(revoked)}.`] : []),
      ...(kept > 0 ? [`Still valid and known to them: ${tokens(kept)}.`] : []),
    ].join(' '),
  none: 'Nobody is a member yet',
  noneText:
    'Only administrators of the installation see this project. Invite somebody, here or on the command line:',
  inviteCommand: 'muster invite --role operator --email ada@example.com',
  invite: 'Invite',
  inviteTitle: 'Invite somebody',
  email: 'For whom (optional)',
  emailText: 'A note for the list. Muster sends no mail: you pass the link on.',
  linkTitle: 'The link of the invitation',
  linkText:
    'It works once, within 7 days, with an account or without one. Whoever has it can accept it, so send it in private.',
  linkOfThisMachine: (host: string) =>
    `${host} is an address of this machine alone. For other machines, let the service listen on the network (HOST=0.0.0.0), open the dashboard at its address there, and invite from there.`,
  for: 'For',
  anybody: 'Whoever has the link',
  invitedBy: 'Invited by',
  ends: 'Ends',
  revoke: 'Revoke',
  revokeInvitation: 'Revoke this invitation?',
  revokeInvitationText: 'Its link stops working at once.',
  invitationRevoked: 'The invitation is revoked.',
  noInvitations: 'No invitation is open',
  noInvitationsText:
    'Accepted invitations have become members. Invite somebody, here or on the command line:',
};
