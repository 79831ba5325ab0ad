import { hash } from 'node:crypto';

/**
 * A digest of the plugins of a configuration, as an agent reports it, and of the names of their properties. Values are left out: agents expand
 * variables in them, so that they differ between hosts. What the agent adds for this service is left out too.
 */
export function structureOf(rawConfig: string): string {
  const sections: string[][] = [];
  for (const line of rawConfig.split('\n')) {
    const text = line.trim();
    if (text.startsWith('[')) sections.push([text.toLowerCase()]);
    else if (text !== '') sections.at(-1)?.push(describeProperty(text));
  }
  return hash('sha256', JSON.stringify(sections.filter((section) => !section.some(isOfService))));
}

/** The name of a plugin without its number, and of everything else only the key. */
function describeProperty(text: string): string {
  const [key = '', value = ''] = text.split(/\s+/, 2);
  const name = key.toLowerCase();
  if (name === 'name') return `name ${value.replace(/\.\d+$/, '')}`;
  return name === 'tag' && value === agentMetricsTag ? `tag ${value}` : name;
}

const agentMetricsTag = '_calyptia_cloud';

function isOfService(line: string): boolean {
  return /^name calyptia(_fleet)?$/.test(line) || line === `tag ${agentMetricsTag}`;
}
