import { Button, CopyButton as CopyState } from '@mantine/core';
import { partsTexts } from '../texts/parts.ts';
import { Icon } from './icon.tsx';

/** Copies a text and says so, also to screen readers. */
export function CopyButton({
  text,
  label = partsTexts.copy,
  isIcon = false,
}: {
  readonly text: string;
  readonly label?: string;
  /** Where there is little room. */
  readonly isIcon?: boolean;
}) {
  return (
    <CopyState value={text} timeout={2_000}>
      {({ copied, copy }) => (
        <>
          <Button
            variant="default"
            size="compact-sm"
            {...(isIcon
              ? { px: 6, title: label, 'aria-label': label }
              : { leftSection: <Icon name={copied ? 'check' : 'copy'} size={14} /> })}
            onClick={copy}
          >
            {isIcon ? (
              <Icon name={copied ? 'check' : 'copy'} size={14} />
            ) : copied ? (
              partsTexts.copied
            ) : (
              label
            )}
          </Button>
          <span className="visually-hidden" role="status">
            {copied ? partsTexts.copied : ''}
          </span>
        </>
      )}
    </CopyState>
  );
}
