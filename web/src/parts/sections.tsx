import { Link } from '@tanstack/react-router';
import { formatNumber } from './amount.ts';
import classes from './sections.module.css';

interface Section {
  readonly id: string;
  readonly text: string;
  /** How many are in it. Undefined: that is not said. */
  readonly count?: number | undefined;
}

interface SectionsProps {
  /** Names them for screen readers. */
  readonly label: string;
  readonly sections: readonly Section[];
  readonly current: string;
}

/** The parts of a screen, one of which is shown. It stands in the address as `section`; the first one does not. */
export function Sections({ label, sections, current }: SectionsProps) {
  return (
    <nav className={classes.sections} aria-label={label}>
      {sections.map(({ id, text, count }, place) => (
        <Link
          key={id}
          to="."
          search={place === 0 ? {} : { section: id as never }} // the route of the screen reads it
          className={classes.section}
          data-current={id === current || undefined}
          aria-current={id === current ? 'page' : undefined}
          ref={id === current ? scrollIntoSections : undefined}
        >
          {text}
          {count !== undefined && <span className="quiet"> {formatNumber(count)}</span>}
        </Link>
      ))}
    </nav>
  );
}

/** On a phone, the last ones begin outside of the screen. The page itself does not scroll. */
function scrollIntoSections(link: HTMLElement | null): void {
  link?.scrollIntoView({ inline: 'nearest', block: 'nearest' });
}
