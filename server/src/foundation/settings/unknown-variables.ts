import { nearestName } from '@muster/contract';

/** A sentence for each mistyped variable. It would otherwise go unnoticed, and the default would apply. */
export function unknownVariables(
  env: Readonly<Record<string, string | undefined>>,
  settings: readonly { readonly variable: string }[],
): string[] {
  const known = settings.map(({ variable }) => variable);
  return Object.entries(env)
    .filter(([name, value]) => name.startsWith('MUSTER_') && value !== undefined && value !== '')
    .filter(([name, value = '']) => !known.includes(name) && !belongsToOthers(name, value))
    .map(([name]) => {
      const nearest = nearestVariable(name, known);
      return nearest === undefined
        ? `${name} is not a setting of Muster: unset it. 'muster serve --help' lists them all.`
        : `${name} is not a setting of Muster: did you mean ${nearest}?`;
    });
}

function nearestVariable(name: string, known: readonly string[]): string | undefined {
  const withoutPrefix = name.slice('MUSTER_'.length);
  if (known.includes(withoutPrefix)) return withoutPrefix;
  return nearestName(
    name,
    known.map((variable) => variable.toLowerCase()),
  )?.toUpperCase();
}

/** Variables of the command-line client and the tests, and those that Kubernetes and Docker derive from a service's name. */
function belongsToOthers(name: string, value: string): boolean {
  return (
    ['MUSTER_URL', 'MUSTER_TOKEN', 'MUSTER_PROFILE', 'MUSTER_PROJECT'].includes(name) ||
    name.startsWith('MUSTER_TEST_') ||
    /^MUSTER_(\w+_)?(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_\w+)?)$/.test(name) ||
    (name.endsWith('_PORT') && /^(tcp|udp|sctp):\/\//.test(value))
  );
}
