import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { EmptyState } from '../parts/empty-state.tsx';
import { Page } from '../parts/page.tsx';
import { appTexts } from '../texts/app.ts';

export function NotFound() {
  return (
    <Page title={appTexts.notFoundTitle}>
      <EmptyState
        title={appTexts.notFound}
        text={appTexts.notFoundText}
        action={
          <Anchor component={Link} to="/">
            {appTexts.toOverview}
          </Anchor>
        }
      />
    </Page>
  );
}
