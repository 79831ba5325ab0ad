/** What a page of the dashboard is about. */
export type PageSubject =
  | { readonly kind: 'group' | 'token' | 'site'; readonly projectID: string; readonly id: string }
  | { readonly kind: 'rollout'; readonly projectID: string; readonly fleetID: string; readonly id: string }
  | { readonly kind: 'offline_agents' | 'members'; readonly projectID: string };

/** The page on which a person sees the subject, below the public URL. The dashboard asks for a sign-in first, and then shows this page. */
export function dashboardPage(subject: PageSubject): string {
  const project = `/projects/${subject.projectID}`;
  switch (subject.kind) {
    case 'group':
      return `${project}/causes/${subject.id}`;
    case 'token':
      return `${project}/tokens/${subject.id}`;
    case 'site':
      return `${project}/sites/${subject.id}`;
    case 'rollout':
      return `${project}/fleets/${subject.fleetID}/rollouts/${subject.id}`;
    case 'offline_agents':
      return `${project}/agents?status=offline`;
    case 'members':
      return `${project}/members`;
  }
}
