import { Button, Kbd } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { lazy, Suspense, useState } from 'react';
import { Icon } from '../parts/icon.tsx';
import { appTexts } from '../texts/app.ts';

const PaletteDialog = lazy(() => import('./palette-dialog.tsx'));

/** Goes to a screen or a project by its name. What it needs is loaded when it is first opened. */
export function CommandPalette({ projectID }: { readonly projectID: string | undefined }) {
  const [openings, setOpenings] = useState(0);
  const open = () => setOpenings((before) => before + 1);
  useHotkeys([['mod+K', open]], []);
  return (
    <>
      <Button
        variant="default"
        size="compact-sm"
        leftSection={<Icon name="search" size={14} />}
        rightSection={<Kbd size="xs">Ctrl K</Kbd>}
        onClick={open}
        visibleFrom="sm"
      >
        {appTexts.goTo}
      </Button>
      {openings > 0 && (
        <Suspense>
          <PaletteDialog projectID={projectID} openings={openings} />
        </Suspense>
      )}
    </>
  );
}
