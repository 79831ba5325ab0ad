import type { Secret } from '../../foundation/secret.ts';
import type { Config } from '../../foundation/settings/config.ts';
import { signInLinkUrl } from '../../people/sign-in-link-url.ts';
import type { App } from '../build-app.ts';
import type { FirstStart } from './first-start.ts';

export interface Surroundings {
  /** The address of the service. */
  readonly url: string;
  /** The shell command that runs `muster`, quoted. */
  readonly command: string;
  /** The file with the first project token. Absent: the token itself is printed, because the output is a terminal. */
  readonly projectTokenFile?: string | undefined;
  /** The file with the link that signs a browser in. Absent as above. */
  readonly signInLinkFile?: string | undefined;
}

/**
 * The text on stdout when the service is ready. On the first start it shows the first project token or its file, and no secret if the operator chose
 * the administrator's token.
 */
export function announcement(
  { firstStart }: Pick<App, 'firstStart'>,
  config: Config,
  surroundings: Surroundings,
): string {
  const { url } = surroundings;
  const lines = [
    ...signInLines(firstStart, surroundings),
    `Muster is ready at ${url}`,
    `  reference   ${url}/docs`,
  ];
  if (firstStart === undefined) {
    lines.push(`  sign in     ${url}/sign_in`);
    lines.push(`  data        ${config.databaseUrl === undefined ? config.dataDirectory : 'PostgreSQL'}`);
    return `${lines.join('\n')}\n`;
  }
  lines.push(
    ...(firstStart.adminTokenFile === undefined
      ? withOwnToken(firstStart, surroundings)
      : withNewTokens(firstStart, surroundings)),
  );
  return `${lines.join('\n')}\n`;
}

/** First, because this is what a person does next. */
function signInLines(
  firstStart: FirstStart | undefined,
  { url, command, signInLinkFile }: Surroundings,
): readonly string[] {
  if (firstStart?.signInLink === undefined) return [];
  const { secret, expiresAt } = firstStart.signInLink;
  const until = `It works once, until ${new Date(expiresAt).toISOString().slice(11, 16)} UTC.`;
  return signInLinkFile === undefined
    ? [`Sign in: ${signInLinkUrl(url, secret)}`, `  ${until} Later: ${command} login --web`, '']
    : [`Sign in: open the link in ${signInLinkFile}`, `  ${until} Later: ${command} login --web`, ''];
}

function withOwnToken({ project }: FirstStart, { url, command }: Surroundings): string[] {
  const projectLines =
    project === undefined
      ? [provisionedProjects]
      : [
          'This is the first start. Make a token for the agents of the project "default":',
          '',
          `  curl ${url}/v1/projects/${project.id}/tokens \\`,
          '    -H "Authorization: Bearer $MUSTER_ADMIN_TOKEN" \\',
          "    -H 'Content-Type: application/json' \\",
          `    -d '{"name":"agents"}'`,
        ];
  return [
    `  sign in     at ${url}/sign_in, with the token in MUSTER_ADMIN_TOKEN`,
    '',
    ...projectLines,
    '',
    'Sign in with the command line, in a terminal that has MUSTER_ADMIN_TOKEN too:',
    '',
    `  printf %s "$MUSTER_ADMIN_TOKEN" | ${command} login --url ${quote(url)} --with-token`,
    '',
  ];
}

function withNewTokens({ adminTokenFile = '', project }: FirstStart, surroundings: Surroundings): string[] {
  const { url, command } = surroundings;
  return [
    `  sign in     with the administrator's access token in ${adminTokenFile}`,
    '',
    'See it at work with simulated agents, in another terminal, in this folder:',
    '',
    `  ${command} demo`,
    '',
    ...(project === undefined ? [provisionedProjects] : tokenLinesOf(project.token, surroundings)),
    '',
    'Sign in with the command line, in another terminal, in this folder:',
    '',
    `  ${command} login --url ${quote(url)} --with-token < ${quote(adminTokenFile)}`,
    '',
    ...(project === undefined ? [] : firstCalls(project, adminTokenFile, surroundings)),
  ];
}

const provisionedProjects =
  'This is the first start. The projects and their tokens are those of MUSTER_PROVISION_FILE.';

function tokenLinesOf(token: Secret, { projectTokenFile }: Surroundings): string[] {
  return projectTokenFile === undefined
    ? [
        'This is the first start. The project "default" was made with this token, which is shown only now:',
        '',
        `  ${token.reveal()}`,
      ]
    : [
        'This is the first start. The project "default" was made with a token for agents. It is in this file:',
        '',
        `  ${projectTokenFile}`,
      ];
}

function firstCalls(
  project: NonNullable<FirstStart['project']>,
  adminTokenFile: string,
  { url, projectTokenFile }: Surroundings,
): string[] {
  const tokenHeader =
    projectTokenFile === undefined
      ? `'X-Project-Token: ${project.token.reveal()}'`
      : `"X-Project-Token: $(cat ${quote(projectTokenFile)})"`;
  return [
    'Report an error of an agent:',
    '',
    `  curl -i ${url}/v1/machines/my-laptop/errors \\`,
    `    -H ${tokenHeader} \\`,
    `    -H 'Content-Type: application/json' \\`,
    `    -d '{"error":"[output:forward:forward.0] no upstream connections available"}'`,
    '',
    'See the errors of the project:',
    '',
    `  curl ${url}/v1/projects/${project.id}/agent_errors \\`,
    `    -H "Authorization: Bearer $(cat ${quote(adminTokenFile)})"`,
    '',
  ];
}

function quote(word: string): string {
  return /^[\w./:-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
