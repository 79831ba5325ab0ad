import type { Change } from '@muster/contract';
import { NameText } from '../../parts/name-text.tsx';
import { shortID } from '../../parts/short-id.ts';

/** What people call a configuration, with its hash beside it. */
export function ChangeName({ change: { name, configID } }: { readonly change: Change }) {
  const hash = shortID(configID);
  return (
    <>
      <NameText text={name} />
      {!name.includes(hash) && (
        <>
          {' '}
          <code className="quiet">{hash}</code>
        </>
      )}
    </>
  );
}
