import { ChannelService } from '../../errors/alerts/channels/channel-service.ts';
import { countLockedChannels } from '../../errors/alerts/channels/channel-store.ts';
import { DeliveryService } from '../../errors/alerts/outbox/delivery-service.ts';
import { Outbox } from '../../errors/alerts/outbox/outbox.ts';
import { RuleEvaluator } from '../../errors/alerts/rules/rule-evaluator.ts';
import { RuleService } from '../../errors/alerts/rules/rule-service.ts';
import { AllowedHosts } from '../../errors/alerts/sending/allowed-hosts.ts';
import { MailSender } from '../../errors/alerts/sending/mail-sender.ts';
import { Poster, type ResolveHost } from '../../errors/alerts/sending/post.ts';
import { createResolveHost } from '../../errors/alerts/sending/resolve-host.ts';
import type { ProjectService } from '../../fleet/projects/project-service.ts';
import { forEachApart } from '../../foundation/scheduling/for-each-apart.ts';
import { JoinedRuns } from '../../foundation/scheduling/joined-runs.ts';
import { systemRandomBytes } from '../../foundation/secret.ts';
import type { SecretBox } from '../../foundation/secret-box.ts';
import type { AppParts } from './app-parts.ts';

/** What tests set otherwise. */
export interface AlertOptions {
  /** How long a channel has for its answer. Absent: 10 s. */
  readonly timeoutMilliseconds?: number | undefined;
  /** Absent: the resolver of the system. */
  readonly resolve?: ResolveHost | undefined;
}

export type Alerts = Awaited<ReturnType<typeof createAlerts>>;

const usualTimeoutMilliseconds = 10_000;

/** What tells people of what happens in their projects. */
export async function createAlerts(
  parts: AppParts,
  {
    projects,
    box,
    findUrl,
    options = {},
  }: {
    readonly projects: ProjectService;
    readonly box: SecretBox;
    readonly findUrl: () => string | undefined;
    readonly options?: AlertOptions | undefined;
  },
) {
  const { config, database, logger } = parts;
  const { timeoutMilliseconds = usualTimeoutMilliseconds } = options;
  const allowed = new AllowedHosts(config.alertAllowedHosts);
  const poster = new Poster({
    allowed,
    resolve: options.resolve ?? createResolveHost(allowed),
    timeoutMilliseconds,
    onRefused: (resolved) =>
      logger.warn(
        resolved,
        'an alert was not sent, because its host has an address which is not public: if alerts may be sent there, add the host to MUSTER_ALERT_ALLOWED_HOSTS',
      ),
  });
  const mailSender =
    config.mail === undefined ? undefined : new MailSender({ ...config.mail, timeoutMilliseconds });
  const outbox = new Outbox({
    ...parts,
    box,
    poster,
    mailSender,
    findUrl,
    days: config.alertDeliveriesDays,
    onDisabled: ({ id, project_id: projectID, kind, target }) =>
      logger.warn(
        { projectID, channelID: id, kind, target },
        'an alert channel was disabled, because every attempt to deliver had failed for 5 days: correct its address, and enable it again',
      ),
  });
  const channels = new ChannelService({
    ...parts,
    randomBytes: systemRandomBytes,
    projects,
    box,
    poster,
    outbox,
    canMail: mailSender !== undefined,
  });
  const deliveries = new DeliveryService({ database, projects });
  const rules = new RuleService({ ...parts, projects });
  const evaluator = new RuleEvaluator(parts);
  const runs = new JoinedRuns(async () => {
    // What is written already is sent, whatever else failed.
    await forEachApart([evaluator, outbox], parts.closing, (part) => part.run());
  });
  const lockedChannels = await countLockedChannels(database.read, box.keyIDs);
  if (lockedChannels > 0) {
    logger.warn(
      { lockedChannels },
      'alert channels are stored with another key than this process has, so it sends nothing to them: set MUSTER_SECRET_KEY to the same value on every replica',
    );
  }
  const purge = async (): Promise<void> => {
    await outbox.purge();
    await evaluator.purge();
  };
  return { channels, deliveries, rules, purge, run: () => runs.run() };
}
