import classes from './command.module.css';
import { CopyButton } from './copy-button.tsx';

/** A command to run, ready to copy. */
export function Command({
  command,
  isNarrow = false,
}: {
  readonly command: string;
  /** In a column at the side. */
  readonly isNarrow?: boolean;
}) {
  return (
    <div className={classes.command}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>
        <code>{command}</code>
      </pre>
      <CopyButton text={command} isIcon={isNarrow} />
    </div>
  );
}
