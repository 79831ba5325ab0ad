import { AppShell, Burger, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, Outlet, useParams, useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useKeys } from '../keys/use-keys.ts';
import { rootURL } from '../service/root-url.ts';
import { appTexts } from '../texts/app.ts';
import { keysTexts } from '../texts/keys.ts';
import { CommandPalette } from './command-palette.tsx';
import { ProjectSwitcher } from './project-switcher.tsx';
import { ScreenLinks } from './screen-links.tsx';
import classes from './shell.module.css';
import { UserMenu } from './user-menu.tsx';

const KeysDialog = lazy(() => import('../keys/keys-dialog.tsx'));

/** What surrounds every screen. */
export function Shell() {
  const [isNavigationOpen, navigation] = useDisclosure();
  const [areKeysOpen, setAreKeysOpen] = useState(false);
  const { projectID } = useParams({ strict: false });
  const router = useRouter();

  useKeys([{ key: '?', text: keysTexts.help, run: () => setAreKeysOpen(true) }]);
  useEffect(
    () =>
      router.subscribe('onResolved', ({ pathChanged, fromLocation }) => {
        navigation.close();
        // A screen reader reads on from the heading. The first screen keeps the focus where the browser puts it.
        if (pathChanged && fromLocation !== undefined)
          document.querySelector<HTMLElement>('main h1')?.focus();
      }),
    [router, navigation.close],
  );

  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{
        width: 208,
        breakpoint: 'sm',
        collapsed: { mobile: !isNavigationOpen, desktop: projectID === undefined },
      }}
      padding={{ base: 'sm', sm: 'lg' }}
    >
      <a className="skip-link" href={`${rootURL.pathname}#main`} onClick={skipToMain}>
        {appTexts.skipToContent}
      </a>
      <AppShell.Header className={classes.header}>
        <Group gap="xs" wrap="nowrap" miw={0}>
          {projectID !== undefined && (
            <Burger
              opened={isNavigationOpen}
              onClick={navigation.toggle}
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
      </AppShell.Header>
      {projectID !== undefined && (
        <AppShell.Navbar className={classes.navigation} aria-label={appTexts.mainNavigation}>
          <ScreenLinks projectID={projectID} />
        </AppShell.Navbar>
      )}
      <AppShell.Main id="main" tabIndex={-1} className={classes.main}>
        <div className={classes.content}>
          <Outlet />
        </div>
      </AppShell.Main>
      {areKeysOpen && (
        <Suspense>
          <KeysDialog onClose={() => setAreKeysOpen(false)} />
        </Suspense>
      )}
    </AppShell>
  );
}

/** Moves the focus without a change of the address, which is relative to the <base> of the page. */
function skipToMain(event: { preventDefault(): void }): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}
