import type { TestProject } from '../../../server/src/testing/start-test-app.ts';
import type { CliTest } from './start-cli-test.ts';

/** What the agents of the fleet report. Their texts differ in addresses and numbers. */
const refused = (index: number) => `[output:es:es.0] could not connect to 10.0.0.${index}:9200`;
const unknownPlugin = `[2026/03/02 10:20:30] [error] [config] section 'dumy' tried to instance a plugin name that doesn't exist`;

/** Five agents in the project `edge`, one a minute: all report `refused`, the first two in the fleet `eu` also `unknownPlugin`. */
export class FleetWithCauses {
  readonly project: TestProject;
  readonly #cli: CliTest;

  private constructor(cli: CliTest, project: TestProject) {
    this.#cli = cli;
    this.project = project;
  }

  static async create(cli: CliTest): Promise<FleetWithCauses> {
    const fleet = new FleetWithCauses(cli, await cli.app.createProject('edge'));
    for (let index = 1; index <= 5; index += 1) await fleet.#addAgent(index);
    return fleet;
  }

  /** Reports errors of an agent, as the agent does. */
  async report(name: string, ...errors: string[]): Promise<void> {
    const { status } = await this.#cli.app.request('POST', `/v1/machines/${name}/errors`, {
      as: { project: this.project.token },
      body: errors.map((error) => ({ error })),
    });
    if (status !== 201) throw new Error(`the report was answered with ${status}`);
  }

  /** The id of the group of the first error that contains the text, in any state. */
  async groupID(text: string): Promise<string> {
    const { body } = await this.#list<{ error: string; groupID: string }>();
    const groupID = body.find(({ error }) => error.includes(text))?.groupID;
    if (groupID === undefined) throw new Error(`no error contains '${text}'`);
    return groupID;
  }

  /** The ids of the errors that contain the text, newest first. */
  async errorIDs(text: string): Promise<string[]> {
    const { body } = await this.#list<{ id: string; error: string }>();
    return body.filter(({ error }) => error.includes(text)).map(({ id }) => id);
  }

  #list<Item>() {
    return this.#cli.app.request<Item[]>('GET', `/v1/projects/${this.project.id}/agent_errors?last=1000`, {
      as: { access: this.#cli.app.admin },
    });
  }

  async #addAgent(index: number): Promise<void> {
    const name = `edge-${index}`;
    const { status } = await this.#cli.app.request('POST', '/v1/agents', {
      as: { project: this.project.token },
      body: {
        ...{ name, machineID: name, fleetID: index <= 2 ? 'eu' : 'us', type: 'fluentbit', version: '5.1.1' },
        rawConfig: '[OUTPUT]\n    name es\n',
      },
    });
    if (status !== 201) throw new Error(`the registration was answered with ${status}`);
    this.#cli.app.clock.advance(60_000);
    await this.report(name, refused(index), ...(index <= 2 ? [unknownPlugin] : []));
  }
}

/** The text with ids replaced by `#`, one for each character, so that tests can compare whole outputs. */
export function withoutIDs(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => '#'.repeat(id.length))
    .replaceAll(/\b[0-9a-f]{8}\b/g, '########');
}
