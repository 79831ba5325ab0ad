/**
 * What an agent needs in its own configuration to get that of a fleet. The token and the machine are variables of its environment.
 *
 * @param url the address of the service
 */
export function agentLines(url: URL, fleetName: string): string {
  const isEncrypted = url.protocol === 'https:';
  const lines = [
    ['name', 'calyptia'],
    ['api_key', variable('PROJECT_TOKEN')],
    ['calyptia_host', url.hostname.replace(/^\[(.*)\]$/, '$1')],
    ['calyptia_port', url.port === '' ? (isEncrypted ? '443' : '80') : url.port],
    ['calyptia_tls', isEncrypted ? 'on' : 'off'],
    ['machine_id', variable('HOSTNAME')],
    ['fleet_name', fleetName],
    ['fleet.config_dir', '/var/lib/fluent-bit'],
  ];
  return ['[CUSTOM]', ...lines.map(([name = '', value]) => `    ${name.padEnd(16)} ${value}`)].join('\n');
}

/** A variable that Fluent Bit replaces. */
function variable(name: string): string {
  return `$${`{${name}}`}`;
}
