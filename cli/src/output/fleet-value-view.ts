import type { FleetSecret, FleetVariable } from '@muster/client';
import { nameOfActor } from './people-views.ts';
import type { View } from './printer.ts';

export const fleetVariableView: View<FleetVariable> = {
  id: ({ id }) => id,
  columns: [
    { title: 'NAME', cell: ({ name }) => name },
    { title: 'VALUE', isFlexible: true, cell: ({ value }) => value },
    { title: 'FOR', cell: subjectOf },
    { title: 'SINCE', leaveOut: 1, cell: ({ updatedAt }, { time }) => time(updatedAt) },
    { title: 'BY', isFlexible: true, leaveOut: 2, cell: ({ updatedBy }) => nameOfActor(updatedBy) },
  ],
  details: ({ name, value }) => [[name, value]],
};

export const fleetSecretView: View<FleetSecret> = {
  id: ({ name }) => name,
  columns: [
    { title: 'NAME', cell: ({ name }) => name },
    { title: 'SINCE', cell: ({ updatedAt }, { time }) => time(updatedAt) },
    { title: 'BY', isFlexible: true, cell: ({ updatedBy }) => nameOfActor(updatedBy) },
  ],
  details: ({ name, updatedAt }, { time }) => [[name, time(updatedAt)]],
};

function subjectOf({ tag, agentID, agentName }: FleetVariable): string {
  return tag !== null ? `tag ${tag}` : agentID !== null ? `agent ${agentName ?? agentID}` : 'the fleet';
}
