import { beginningOf } from './beginning-of.ts';
import classes from './error-line.module.css';
import { MarkedText } from './marked-text.tsx';
import { splitError } from './split-error.ts';

/** More than a line ever shows. */
const maxLength = 300;

/** An error of an agent in one line, two on a phone. Without room for all, its plugin goes first and its end stays: that is what differs between agents. */
export function ErrorLine({ text }: { readonly text: string }) {
  const { beginning, end, plugin } = splitError(text.replaceAll('\n', ' '));
  return (
    <bdi className={classes.error} dir="auto" title={text}>
      <span className={classes.beginning}>
        <MarkedText text={beginningOf(beginning, maxLength)} />
      </span>
      {end !== '' && (
        <span className={classes.end}>
          <MarkedText text={end} />
        </span>
      )}
      {plugin !== undefined && (
        <span className={classes.plugin}>
          <MarkedText text={plugin} />
        </span>
      )}
    </bdi>
  );
}
