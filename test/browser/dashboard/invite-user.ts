import { type Client, type CreateInvitation, createClient, createInvitation, signUp } from '@muster/client';
import type { Dashboard } from './start-dashboard.ts';

interface InvitedUser {
  readonly id: string;
  readonly token: string;
  readonly client: Client;
}

/** A new user with a role in the project, or with permissions instead. */
export async function inviteUser(
  { admin, address, app }: Pick<Dashboard, 'admin' | 'address' | 'app'>,
  member: Pick<CreateInvitation, 'role' | 'permissions'>,
  name: string,
): Promise<InvitedUser> {
  const { code } = await createInvitation(admin, { projectID: app.project.id, body: member });
  const { userID, token } = await signUp(createClient({ url: address }), { body: { code, name } });
  return { id: userID, token, client: createClient({ url: address, credential: { accessToken: token } }) };
}
