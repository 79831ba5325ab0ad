import { hash } from 'node:crypto';

/**
 * A digest of the plugins of a configuration, as an agent reports it, in any order. Properties are left out: agents expand variables in them, which differ
 * between hosts, and print them differently if the configuration came in another format. What the agent adds for this service is left out too.
 */
export function structureOf(rawConfig: string): string {
  const plugins = [...rawConfig.matchAll(section)].flatMap(([, kind = '', name = '', tag]) =>
    isOfService(name, tag) ? [] : [`${kind.toLowerCase()} ${name.replace(/\.\d+$/, '')}`],
  );
  return hash('sha256', JSON.stringify(plugins.toSorted()));
}

/** A heading, its name, and the tag if that comes next. */
const section = /^\[(INPUT|FILTER|OUTPUT)\][ \t]*\n[ \t]+name[ \t]+(\S+)(?:[ \t]*\n[ \t]+tag[ \t]+(\S+))?/gim;

/**
 * Which agents have the same configuration: a digest of what an agent reports, without what it has for itself alone. That is its name and the id of its
 * machine, which are often values of variables, and the sections that it adds for this service.
 */
export function digestOfShared(rawConfig: string, ownNames: readonly string[]): string {
  let shared = '';
  let end = 0;
  for (const { 0: heading, 2: name = '', 3: tag, index } of rawConfig.matchAll(section)) {
    if (!isOfService(name, tag)) continue;
    shared += rawConfig.slice(end, index);
    const next = rawConfig.indexOf('\n[', index + heading.length);
    end = next === -1 ? rawConfig.length : next + 1;
  }
  shared += rawConfig.slice(end);
  for (const name of ownNames.filter(isUnlikeWord)) shared = shared.replaceAll(name, '');
  return hash('sha256', shared).slice(0, 32);
}

/** A name such as `kafka` may stand in the configurations of all agents. */
function isUnlikeWord(name: string): boolean {
  return name.length > 4 && /\d/.test(name);
}

function isOfService(name: string, tag: string | undefined): boolean {
  return /^calyptia(_fleet)?(\.\d+)?$/.test(name) || tag === '_calyptia_cloud';
}
