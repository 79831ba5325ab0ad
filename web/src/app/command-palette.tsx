import { Button, Kbd } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { lazy, Suspense, useEffect, useState } from 'react';
import { TypedAhead } from '../keys/typed-ahead.ts';
import { Icon } from '../parts/icon.tsx';
import { appTexts } from '../texts/app.ts';

const PaletteDialog = lazy(() => import('./palette-dialog.tsx'));

/** Goes to a screen or a project by its name. What it needs is loaded when it is first opened. */
export function CommandPalette({ projectID }: { readonly projectID: string | undefined }) {
  const [openings, setOpenings] = useState(0);
  const [typedAhead] = useState(() => new TypedAhead());
  const open = () => {
    typedAhead.start();
    setOpenings((before) => before + 1);
  };
  // Also when its code cannot be loaded.
  useEffect(() => () => void typedAhead.take(), [typedAhead]);
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
          <PaletteDialog projectID={projectID} openings={openings} typedAhead={typedAhead} />
        </Suspense>
      )}
    </>
  );
}
