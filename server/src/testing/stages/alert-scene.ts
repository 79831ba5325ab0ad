import type { AgentErrorGroup, AlertRule, CreateAlertRule } from '@muster/contract';
import { alertConfig, createChannel, createRule } from '../calls/alert-calls.ts';
import { type AlertReceiver, startAlertReceiver } from '../receivers/alert-receiver.ts';
import { type Replicas, startReplicas } from '../start-replicas.ts';
import type { TestApp, TestProject } from '../start-test-app.ts';

const minute = 60_000;

interface OpenScene {
  readonly replicas: Replicas;
  readonly app: TestApp;
  readonly receiver: AlertReceiver;
  readonly project: TestProject;
}

/** A project with a webhook, and what its rules tell. Each file of tests takes what it needs: `const { look, told } = alerts`. */
export class AlertScene {
  #open: OpenScene | undefined;

  async open(): Promise<OpenScene> {
    const receiver = await startAlertReceiver();
    const replicas = await startReplicas({
      config: { ...alertConfig, publicUrl: 'https://muster.example.com', maxOpenErrorsPerAgent: 0 },
    });
    const app = replicas.other;
    this.#open = { replicas, app, receiver, project: await app.createProject('edge') };
    await this.watch(this.#open.project);
    return this.#open;
  }

  /** The project that this is about from now on. It gets the webhook. */
  async watch(project: TestProject): Promise<void> {
    const { app, receiver } = this.#opened;
    this.#open = { ...this.#opened, project };
    await createChannel(app, project, { url: receiver.url });
  }

  async close(): Promise<void> {
    await this.#opened.replicas.close();
    await this.#opened.receiver.close();
  }

  get #opened(): OpenScene {
    if (this.#open === undefined) throw new Error('open the scene first');
    return this.#open;
  }

  readonly admin = () => ({ as: { access: this.#opened.app.admin } });

  readonly rule = (body: CreateAlertRule): Promise<AlertRule> =>
    createRule(this.#opened.app, this.#opened.project, body);

  /** Counts everything that happened, and lets all replicas look for what is to be told. */
  readonly look = async (after = minute): Promise<void> => {
    const { replicas } = this.#opened;
    replicas.clock.advance(after);
    await this.count();
    await Promise.all(replicas.all.map((one) => one.app.runAlerts()));
  };

  readonly count = () =>
    this.#opened.app.request('GET', `/v1/projects/${this.#opened.project.id}/summary`, this.admin());

  /** By webhooks. */
  readonly told = (): string[] =>
    this.#opened.receiver.received.flatMap(({ body }) =>
      body.type === undefined ? [] : [`${body.type.replace('alert.', '')}: ${body.data.title}`],
    );

  readonly countOfAlerts = (): number =>
    this.#opened.receiver.received.reduce(
      (sum, { body }) => sum + body.data.alerts.length + body.data.moreAlerts,
      0,
    );

  readonly links = (): (string | null)[] =>
    this.#opened.receiver.received.map(({ body }) => body.data.alerts[0]?.link);

  readonly report = async (
    agent: { readonly id: string; readonly token: string },
    ...errors: string[]
  ): Promise<void> => {
    await this.#opened.app.request('POST', `/v1/agents/${agent.id}/errors`, {
      as: { agent: agent.token },
      body: errors.map((error) => ({ error })),
    });
  };

  readonly groups = async (): Promise<AgentErrorGroup[]> => {
    const { app, project } = this.#opened;
    const path = `/v1/projects/${project.id}/agent_error_groups`;
    return (await app.request<AgentErrorGroup[]>('GET', path, this.admin())).body;
  };

  readonly dismissAll = async (): Promise<void> => {
    const { app, project } = this.#opened;
    await app.request('POST', `/v1/projects/${project.id}/dismissals`, {
      ...this.admin(),
      body: { reason: 'fixed', filter: { all: true } },
    });
  };
}
