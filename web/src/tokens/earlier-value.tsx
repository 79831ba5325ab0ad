import type { Token } from '@muster/client';
import { RelativeTime } from '../parts/relative-time.tsx';
import { tokensTexts } from '../texts/tokens.ts';

/** A value from before a rotation, masked, and until when it is accepted. */
export function EarlierValue({ value }: { readonly value: Token['earlierValues'][number] }) {
  const { token, endsAt, retiresOnUse } = value;
  return (
    <>
      <code>{token}</code> {retiresOnUse && tokensTexts.untilUse}
      {endsAt !== null && (
        <>
          {retiresOnUse ? tokensTexts.orAtLatest : tokensTexts.untilTime} <RelativeTime at={endsAt} />
        </>
      )}
    </>
  );
}
