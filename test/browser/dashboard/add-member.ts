import { createClient, createInvitation, signUp } from '@muster/client';
import type { Role } from '@muster/contract';
import type { Dashboard } from './start-dashboard.ts';

/** Adds a new user to the project; returns their access token. */
export async function addMember({ admin, address, app }: Dashboard, role: Role): Promise<string> {
  const { code } = await createInvitation(admin, { projectID: app.project.id, body: { role } });
  const { token } = await signUp(createClient({ url: address }), { body: { code, name: role } });
  return token;
}
