import { Link } from '@tanstack/react-router';
import { HostileText } from '../../parts/hostile-text.tsx';
import { NameText } from '../../parts/name-text.tsx';
import { RelativeTime } from '../../parts/relative-time.tsx';
import { type RowAction, RowMenu } from '../../parts/row-menu.tsx';
import type { Column } from '../../table/column.ts';
import { fleetValuesTexts } from '../../texts/fleet-values.ts';
import { partsTexts } from '../../texts/parts.ts';
import classes from '../fleet-columns.module.css';
import { type FleetValue, scopeOf, variableOf, writtenAs } from './fleet-value.ts';

export function fleetValueColumns(
  projectID: string,
  actionsOf: (value: FleetValue) => readonly RowAction[],
): readonly Column<FleetValue>[] {
  return [
    {
      id: 'name',
      header: fleetValuesTexts.name,
      width: 'minmax(0, 4fr)',
      cell: (value) => (
        <>
          <code title={value.name}>
            {scopeOf(value)}.{value.name}
          </code>
          <div className={classes.second}>
            <SubjectText projectID={projectID} value={value} />
          </div>
        </>
      ),
    },
    {
      id: 'value',
      header: fleetValuesTexts.value,
      width: 'minmax(0, 4fr)',
      cell: (value) =>
        'value' in value ? (
          <HostileText text={value.value} isLine />
        ) : (
          <span className="quiet">{fleetValuesTexts.hidden}</span>
        ),
    },
    {
      id: 'use',
      header: fleetValuesTexts.use,
      width: '5rem',
      hideBelow: 'md',
      cell: ({ isUsed }) =>
        isUsed ? fleetValuesTexts.used : <span className="quiet">{fleetValuesTexts.unused}</span>,
    },
    {
      id: 'by',
      header: fleetValuesTexts.by,
      width: 'minmax(0, 2fr)',
      hideBelow: 'lg',
      cell: ({ updatedBy: { name } }) => <NameText text={name ?? fleetValuesTexts.somebody} />,
    },
    {
      id: 'changed',
      header: fleetValuesTexts.changed,
      width: '7rem',
      align: 'end',
      hideBelow: 'sm',
      cell: ({ updatedAt }) => <RelativeTime at={updatedAt} />,
    },
    {
      id: 'actions',
      header: partsTexts.actions,
      isHeaderHidden: true,
      width: '2.25rem',
      align: 'end',
      cell: (value) => <RowMenu name={writtenAs(value)} actions={actionsOf(value)} />,
    },
  ];
}

function SubjectText({ projectID, value }: { readonly projectID: string; readonly value: FleetValue }) {
  const { tag = null, agentID = null, agentName = null } = variableOf(value) ?? {};
  if (tag !== null)
    return (
      <>
        {fleetValuesTexts.forTag} <NameText text={tag} />
      </>
    );
  if (agentID !== null)
    return (
      <>
        {fleetValuesTexts.forAgent}{' '}
        <Link to="/projects/$projectID/agents/$agentID" params={{ projectID, agentID }} preload={false}>
          <NameText text={agentName ?? agentID} />
        </Link>
      </>
    );
  return fleetValuesTexts.forFleet;
}
