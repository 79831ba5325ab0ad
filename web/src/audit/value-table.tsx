import { UnstyledButton } from '@mantine/core';
import { Fragment, useState } from 'react';
import { MarkedText } from '../parts/marked-text.tsx';
import { auditTexts } from '../texts/audit.ts';
import type { ShownValue, valueRows } from './value-rows.ts';
import classes from './value-table.module.css';

/** Longer lists begin with some of their texts, and show the others on demand. */
const maxListLength = 24;
const beginningLength = 6;

const sides = ['before', 'after'] as const;

/** What was replaced by what. A side without a value has no column. */
export function ValueTable({ rows }: { readonly rows: ReturnType<typeof valueRows> }) {
  const shownSides = sides.filter((side) => rows.some((row) => row[side] !== undefined));
  if (rows.length === 0) return null;
  return (
    <table className={classes.values}>
      <thead>
        <tr>
          <th scope="col" className={classes.field}>
            {auditTexts.field}
          </th>
          {shownSides.map((side) => (
            <th key={side} scope="col">
              {auditTexts[side]}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.field}>
            <th scope="row">
              <FieldName name={row.field} />
            </th>
            {shownSides.map((side) => (
              <td
                key={side}
                className={row.isChanged && shownSides.length > 1 ? classes[side] : undefined}
                data-side={auditTexts[side]}
              >
                {row[side] !== undefined && <Value value={row[side]} />}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Narrow columns break it between its words: `errors` `Count`. */
function FieldName({ name }: { readonly name: string }) {
  return name.split(/(?<=[a-z])(?=[A-Z])|(?<=\.)/).map((word, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the words of a name never change
    <Fragment key={place}>
      {place > 0 && <wbr />}
      {word}
    </Fragment>
  ));
}

function Value({ value: { texts, total } }: { readonly value: ShownValue }) {
  const [isWhole, setIsWhole] = useState(texts.length <= maxListLength);
  const shown = isWhole ? texts : texts.slice(0, beginningLength);
  return (
    <>
      {shown.map((text, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a list may hold a text twice, and is never sorted anew
        <Fragment key={place}>
          {place > 0 && ' '}
          <span className={classes.text}>
            <bdi dir="auto">
              <MarkedText text={text} />
            </bdi>
            {place < shown.length - 1 && ','}
          </span>
        </Fragment>
      ))}
      {shown.length < texts.length && (
        <>
          {' … '}
          <UnstyledButton className={classes.more} onClick={() => setIsWhole(true)}>
            {auditTexts.showAll(texts.length)}
          </UnstyledButton>
        </>
      )}
      {total !== undefined && <p className={classes.note}>{auditTexts.firstOf(texts.length, total)}</p>}
    </>
  );
}
