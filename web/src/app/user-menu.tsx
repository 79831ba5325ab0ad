import { ActionIcon } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { lazy, useRef } from 'react';
import { Icon } from '../parts/icon.tsx';
import { MenuOnDemand } from '../parts/menu-on-demand.tsx';
import { rootURL } from '../service/root-url.ts';
import { whenReachable } from '../service/when-reachable.ts';
import { meQuery } from '../session/session-queries.ts';
import { appTexts } from '../texts/app.ts';

const loadItems = whenReachable(() => import('./user-menu-items.tsx'));
const UserMenuItems = lazy(loadItems);

export function UserMenu({ onKeys }: { readonly onKeys: () => void }) {
  const { data: me } = useSuspenseQuery(meQuery);
  const signOut = useRef<HTMLFormElement>(null);
  return (
    <>
      {/* A form, as on the other pages: the service ends the session, and answers with the sign-in page. */}
      <form ref={signOut} method="post" action={new URL('sign_out', rootURL).href} hidden />
      <MenuOnDemand
        load={loadItems}
        button={(props) => (
          <ActionIcon
            {...props}
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={appTexts.userMenu(me.name)}
          >
            <Icon name="user" size={20} />
          </ActionIcon>
        )}
        menu={(button) => (
          <UserMenuItems
            button={button}
            onKeys={onKeys}
            // Not a button of the form: without motion, the menu is gone before the browser would submit it.
            onSignOut={() => signOut.current?.requestSubmit()}
          />
        )}
      />
    </>
  );
}
