import { Burger, Group } from '@mantine/core';
import { Link, Outlet, useParams, useRouteContext, useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useKeys } from '../keys/use-keys.ts';
import { LiveMark } from '../live/live-mark.tsx';
import { LiveProject } from '../live/live-project.tsx';
import { rootURL } from '../service/root-url.ts';
import { whenReachable } from '../service/when-reachable.ts';
import { appTexts } from '../texts/app.ts';
import { keysTexts } from '../texts/keys.ts';
import { CommandPalette } from './command-palette.tsx';
import { keepFocus } from './keep-focus.ts';
import { ProjectSwitcher } from './project-switcher.tsx';
import { ScreenLinks } from './screen-links.tsx';
import classes from './shell.module.css';
import { useIsUnknown } from './use-is-unknown.ts';
import { UserMenu } from './user-menu.tsx';

const KeysDialog = lazy(whenReachable(() => import('../keys/keys-dialog.tsx')));

/** What surrounds every screen. */
export function Shell() {
  const [isNavigationOpen, setIsNavigationOpen] = useState(false);
  const [areKeysOpen, setAreKeysOpen] = useState(false);
  const { projectID } = useParams({ strict: false });
  const { sessionEnd } = useRouteContext({ from: '__root__' });
  const isUnknown = useIsUnknown(projectID);
  const router = useRouter();

  useKeys([{ key: '?', text: keysTexts.help, run: () => setAreKeysOpen(true) }]);
  useEffect(keepFocus, []);
  useEffect(
    () =>
      router.subscribe('onResolved', ({ pathChanged, fromLocation }) => {
        setIsNavigationOpen(false);
        // Somebody has opened a dialog meanwhile, such as the palette, and types.
        if (document.activeElement?.closest('[role="dialog"]')) return;
        // A screen reader reads on from the heading. The first screen keeps the focus where the browser puts it.
        if (pathChanged && fromLocation !== undefined)
          document.querySelector<HTMLElement>('main h1')?.focus();
      }),
    [router],
  );

  return (
    <LiveProject projectID={isUnknown ? undefined : projectID} sessionEnd={sessionEnd}>
      <a className="skip-link" href={`${rootURL.pathname}#main`} onClick={skipToMain}>
        {appTexts.skipToContent}
      </a>
      <header className={classes.header}>
        <Group gap="xs" wrap="nowrap" miw={0}>
          {projectID !== undefined && (
            <Burger
              opened={isNavigationOpen}
              onClick={() => setIsNavigationOpen(!isNavigationOpen)}
              hiddenFrom="sm"
              size="sm"
              aria-label={isNavigationOpen ? appTexts.closeNavigation : appTexts.openNavigation}
            />
          )}
          <Link to="/" className={classes.brand} aria-label={appTexts.product}>
            <img src={new URL('docs/icon.svg', rootURL).href} alt="" width={24} height={24} />
            <span>{appTexts.product}</span>
          </Link>
          <ProjectSwitcher projectID={projectID} />
        </Group>
        <Group gap="xs" wrap="nowrap">
          <CommandPalette projectID={projectID} />
          <UserMenu onKeys={() => setAreKeysOpen(true)} />
        </Group>
      </header>
      {projectID !== undefined && (
        <nav
          className={classes.navigation}
          aria-label={appTexts.mainNavigation}
          data-is-open={isNavigationOpen}
        >
          <ScreenLinks projectID={projectID} />
          <LiveMark className={classes.live} />
        </nav>
      )}
      <main id="main" tabIndex={-1} className={classes.main}>
        <div className={classes.content}>
          <Outlet />
        </div>
      </main>
      {areKeysOpen && (
        <Suspense>
          <KeysDialog onClose={() => setAreKeysOpen(false)} />
        </Suspense>
      )}
    </LiveProject>
  );
}

/** Moves the focus without a change of the address, which is relative to the <base> of the page. */
function skipToMain(event: { preventDefault(): void }): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}
