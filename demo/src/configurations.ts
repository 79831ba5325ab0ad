/** The releases of the fleet's configuration, in the order in which they are rolled out. */
export const releases = { working: 41, broken: 42, fixed: 43, brokenAgain: 44 } as const;
export type Release = (typeof releases)[keyof typeof releases];

export const workingPort = 443;
/** Nothing listens there: `samples/fluent-bit/refused.conf` is the recorded configuration with this port. */
const brokenPort = 9;
/** The gateway of its site is a variable of each agent's environment: the text is the same on all. */
export const gatewayVariable = `\${GATEWAY}`;

/** The configuration of agents that send to a gateway. */
export function configurationOf(release: number, gateway: string): string {
  const isBroken = release === releases.broken || release === releases.brokenAgain;
  return `# release ${release}
[INPUT]
    name  cpu
    tag   host.cpu

[INPUT]
    name  tail
    path  /var/log/app/*.log

[OUTPUT]
    name  http
    match *
    host  ${gateway}
    port  ${isBroken ? brokenPort : workingPort}
    tls   on
`;
}

/** The port to which a configuration sends; undefined if it names none. */
export function portOf(rawConfig: string): number | undefined {
  // The first output is that of the fleet: what Muster appends for reports stands behind it.
  const [, port] = /^\[OUTPUT\][^[]*?^[ \t]+port[ \t]+(\d+)/im.exec(rawConfig) ?? [];
  return port === undefined ? undefined : Number(port);
}
