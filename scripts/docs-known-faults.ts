import { type Catalogue, catalogues, type KnownFault } from '@muster/faults/explain';

/** Every known fault with its example, from the catalogues. */
export function knownFaultsList(): string {
  return catalogues.map(describeAgent).join('\n\n');
}

function describeAgent({ agent, faults }: Catalogue): string {
  return [`## ${agent}`, `${faults.length} known errors.`, ...faults.map(describeFault)].join('\n\n');
}

function describeFault({ id, title, example, meaning, causes, actions, link }: KnownFault): string {
  return [
    `### ${title}`,
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
