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

const heading = /^\[(?:INPUT|FILTER|OUTPUT)\][ \t]*$/gim;
/** Of what an agent adds for this service, and of what a fleet adds, so that it reports its errors (`fluent-bit-pipeline.ts`). */
const ownLine =
  /^[ \t]+(?:name[ \t]+calyptia(?:_fleet)?(?:\.\d+)?|(?:tag|match)[ \t]+(?:_calyptia_cloud|muster(?:_heartbeat)?))[ \t]*$/im;

/**
 * Which agents have the same configuration: a digest of what an agent reports, without what it has for itself alone. That is its name and the id of its
 * machine, which are often values of variables, and the sections for this service.
 */
export function digestOfShared(rawConfig: string, ownNames: readonly string[]): string {
  let shared = '';
  let end = 0;
  for (const { 0: line, index } of rawConfig.matchAll(heading)) {
    const next = rawConfig.indexOf('\n[', index + line.length);
    const endOfSection = next === -1 ? rawConfig.length : next + 1;
    if (!ownLine.test(rawConfig.slice(index, endOfSection))) continue;
    shared += rawConfig.slice(end, index);
    end = endOfSection;
  }
  shared = `${shared}${rawConfig.slice(end)}`.trimEnd();
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
