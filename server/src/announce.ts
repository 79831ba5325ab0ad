import type { App } from './build-app.ts';
import type { Config } from './config.ts';

/** What a person reads when the service is ready. On the first start it holds the project token, once. */
export function announcement({ firstStart }: Pick<App, 'firstStart'>, config: Config, url: string): string {
  const lines = [`Muster is ready at ${url}`, `  reference   ${url}/docs`];
  if (firstStart === undefined) {
    lines.push(`  data        ${config.databaseUrl === undefined ? config.dataDirectory : 'PostgreSQL'}`);
    return `${lines.join('\n')}\n`;
  }
  const { adminTokenFile, projectToken } = firstStart;
  const token = projectToken.reveal();
  lines.push(
    ...(adminTokenFile === undefined
      ? ['  sign in     with the token in MUSTER_ADMIN_TOKEN']
      : [`  sign in     with the administrator's access token in ${adminTokenFile}`]),
    '',
    'This is the first start. The project "default" was made with this token, which is shown only now:',
    '',
    `  ${token}`,
    '',
    'Report an error of an agent:',
    '',
    `  curl -i ${url}/v1/machines/my-laptop/errors \\`,
    `    -H 'X-Project-Token: ${token}' \\`,
    `    -H 'Content-Type: application/json' \\`,
    `    -d '{"error":"[output:forward:forward.0] no upstream connections available"}'`,
    '',
    'See the errors of the project:',
    '',
    `  curl ${url}/v1/projects/${firstStart.projectID}/agent_errors \\`,
    `    -H "Authorization: Bearer ${adminTokenFile === undefined ? '$MUSTER_ADMIN_TOKEN' : `$(cat ${quote(adminTokenFile)})`}"`,
    '',
  );
  return `${lines.join('\n')}\n`;
}

function quote(file: string): string {
  return /^[\w./-]+$/.test(file) ? file : `'${file.replaceAll("'", `'\\''`)}'`;
}
