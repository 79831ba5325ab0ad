import { MarkedText } from './marked-text.tsx';
import classes from './name-text.module.css';

/** A name that somebody chose: shown as text within a sentence, whatever it holds. */
export function NameText({ text }: { readonly text: string }) {
  return (
    <bdi className={classes.name} dir="auto">
      <MarkedText text={text} />
    </bdi>
  );
}
