import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { ErrorState } from '../parts/error-state.tsx';
import { Page } from '../parts/page.tsx';
import { isMissingFile } from '../service/when-reachable.ts';
import { appTexts } from '../texts/app.ts';

/** A screen that cannot be shown: it says why, and tries again. */
export function PageFault({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  return (
    <Page title={appTexts.pageFault}>
      <ErrorState
        error={error}
        onRetry={() => {
          // A file of an earlier build may be gone after an update of the service.
          if (isMissingFile(error)) window.location.reload();
          reset();
          void router.invalidate();
        }}
      />
    </Page>
  );
}
