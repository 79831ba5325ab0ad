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

function isOfService(name: string, tag: string | undefined): boolean {
  return /^calyptia(_fleet)?(\.\d+)?$/.test(name) || tag === '_calyptia_cloud';
}
