import { type Client, type CreateInvitation, createClient, createInvitation, signUp } from '@muster/client';
import type { Dashboard } from './start-dashboard.ts';

interface InvitedUser {
  readonly id: string;
  readonly token: string;
  readonly client: Client;
}

/** A new user with a role in the project. */
export async function inviteUser(
  { admin, address, app }: Pick<Dashboard, 'admin' | 'address' | 'app'>,
  role: CreateInvitation['role'],
  name: string,
): Promise<InvitedUser> {
  const { code } = await createInvitation(admin, { projectID: app.project.id, body: { role } });
  const { userID, token } = await signUp(createClient({ url: address }), { body: { code, name } });
  return { id: userID, token, client: createClient({ url: address, credential: { accessToken: token } }) };
}
