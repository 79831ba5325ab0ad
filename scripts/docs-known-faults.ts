import { type Catalogue, type CatalogueSection, catalogues, type KnownFault } from '@muster/faults/explain';

/** What is covered, as a table, and every known fault with its example, from the catalogues. */
export function knownFaultsList(): string {
  return [coverage(), ...catalogues.map(describeAgent)].join('\n\n');
}

function coverage(): string {
  return [
    '| Agent | Known errors | Of which |',
    '|---|---:|---|',
    ...catalogues.map(
      ({ agent, sections }) =>
        `| [${agent}](#${anchorOf(agent)}) | ${countOf(sections)} | ${sections.map(({ title, faults }) => `${title} ${faults.length}`).join(', ')} |`,
    ),
  ].join('\n');
}

function countOf(sections: readonly CatalogueSection[]): number {
  return sections.reduce((sum, { faults }) => sum + faults.length, 0);
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^a-z\d -]/g, '')
    .replaceAll(' ', '-');
}

function describeAgent({ agent, sections }: Catalogue): string {
  return [
    `## ${agent}`,
    ...sections.flatMap(({ title, faults }) => [`### ${agent}: ${title}`, ...faults.map(describeFault)]),
  ].join('\n\n');
}

function describeFault({ id, title, example, meaning, causes, actions, link }: KnownFault): string {
  return [
    `#### ${title}`,
    codeOf(example),
    meaning,
    `Possible causes: ${causes.join(' ')}`,
    actions.map((action) => `- ${action}`).join('\n'),
    `[Documentation of the agent](${link}) · \`${id}\``,
  ].join('\n\n');
}

/** On one line, between as many backticks as it takes. */
function codeOf(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.includes('`') ? `\`\` ${line} \`\`` : `\`${line}\``;
}
