import type { AgentErrorGroup } from '@muster/client';
import { visibleText } from '@muster/contract';
import { causesTexts } from '../../texts/causes.ts';
import classes from './assignee.module.css';

/** Who looks after a cause, by the first letters of the name. */
export function Assignee({ assignee }: Pick<AgentErrorGroup, 'assignee'>) {
  if (assignee === null) return null;
  const name = visibleText(assignee.name ?? causesTexts.removedUser);
  return (
    <span className={classes.assignee} title={name}>
      <span aria-hidden="true">{initialsOf(name)}</span>
      <span className="visually-hidden">{name}</span>
    </span>
  );
}

function initialsOf(name: string): string {
  const words = name.split(/[\s._@-]+/).filter((word) => word !== '');
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map(
    (word) => [...(word ?? '')][0] ?? '',
  );
  return letters.join('').toUpperCase();
}
