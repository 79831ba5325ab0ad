import { Anchor } from '@mantine/core';
import { createRoute, Link, Outlet, useMatchRoute } from '@tanstack/react-router';
import { EmptyState } from '../parts/empty-state.tsx';
import { Page } from '../parts/page.tsx';
import { useMay } from '../session/use-may.ts';
import { appTexts } from '../texts/app.ts';
import { keepLastProject } from './last-project.ts';
import { screens, visibleScreens } from './navigation.ts';
import { rootRoute } from './root-route.ts';
import { useIsUnknown } from './use-is-unknown.ts';

/** Above every screen of a project. */
export const projectRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/projects/$projectID',
  loader: ({ params }) => keepLastProject(params.projectID),
  component: ProjectFrame,
});

function ProjectFrame() {
  const { projectID } = projectRoute.useParams();
  return useIsUnknown(projectID) ? <UnknownProject /> : <PermittedScreen projectID={projectID} />;
}

function UnknownProject() {
  return (
    <Page title={appTexts.notFoundTitle}>
      <EmptyState
        title={appTexts.noSuchProject}
        text={appTexts.noSuchProjectText}
        action={
          <Anchor component={Link} to="/">
            {appTexts.toOverview}
          </Anchor>
        }
      />
    </Page>
  );
}

/** The screen, as long as the role of the user shows it. A role may be lowered while its screen is open. */
function PermittedScreen({ projectID }: { readonly projectID: string }) {
  const may = useMay(projectID);
  const matchRoute = useMatchRoute();
  const isOpen = (to: (typeof screens)[number]['to'] | '/projects/$projectID/dismissals', isExact: boolean) =>
    matchRoute({ to, params: { projectID }, fuzzy: !isExact }) !== false;
  const screen = screens.find(
    (one) => isOpen(one.to, one.isExact) || ('withToo' in one && isOpen(one.withToo, true)),
  );
  const visible = visibleScreens(may);
  if (screen === undefined || visible.some(({ to }) => to === screen.to)) return <Outlet />;
  return (
    <Page title={screen.text}>
      {visible.length === 0 ? (
        <EmptyState title={appTexts.mayNothing} text={appTexts.mayNothingText} />
      ) : (
        <EmptyState title={appTexts.mayNotSee} text={appTexts.mayNotSeeText} />
      )}
    </Page>
  );
}
