import { Button } from '@mantine/core';
import type { Token } from '@muster/client';
import { useCallback, useState } from 'react';
import { useArrival } from '../app/use-arrival.ts';
import { useMay } from '../session/use-may.ts';
import { tokensTexts } from '../texts/tokens.ts';
import { ChangeTokenDialog } from './form/change-token-dialog.tsx';
import { isValid } from './is-valid.ts';
import { RevokeTokenDialog } from './revoke-token-dialog.tsx';
import { RotateTokenDialog } from './rotate-token-dialog.tsx';

type Open = 'change' | 'rotate' | 'revoke';

/** What can be done with a token: nothing with one that has ended. */
export function TokenActions({ projectID, token }: { readonly projectID: string; readonly token: Token }) {
  const may = useMay(projectID);
  const [open, setOpen] = useState<Open>();
  useArrival(
    'rotate',
    useCallback(() => setOpen('rotate'), []),
  );
  const canChange = isValid(token);
  const dialog = { projectID, token, onClose: () => setOpen(undefined) };
  return (
    <>
      {canChange && may('update:token') && (
        <>
          <Button variant="default" onClick={() => setOpen('change')}>
            {tokensTexts.changeDots}
          </Button>
          <Button variant="default" onClick={() => setOpen('rotate')}>
            {tokensTexts.rotateDots}
          </Button>
        </>
      )}
      {canChange && may('delete:token') && (
        <Button variant="default" c="var(--muster-bad)" onClick={() => setOpen('revoke')}>
          {tokensTexts.revokeDots}
        </Button>
      )}
      {open === 'change' && <ChangeTokenDialog {...dialog} />}
      <RotateTokenDialog {...dialog} isOpen={canChange && may('update:token') && open === 'rotate'} />
      <RevokeTokenDialog {...dialog} isOpen={open === 'revoke'} />
    </>
  );
}
