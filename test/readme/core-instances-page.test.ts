import { coreInstanceLagsAfterSeconds, maxItemAgeDays, unreachableAfterSeconds } from '@muster/contract';
import { describe, expect, it } from 'vitest';
import { deploymentSteps } from '../../cli/src/commands/core-instances/deployment-steps.ts';
import { defaultSitePort } from '../../cli/src/commands/core-instances/site-address.ts';
import { defaultForwardingLimits } from '../../core-instance/src/forwarding/forwarder.ts';
import { defaultSpoolBounds } from '../../core-instance/src/spool/spool-bounds.ts';
import { credentialsIntervalMilliseconds } from '../../core-instance/src/start-core-instance.ts';
import { readSource } from '../architecture/source-files.ts';
import { readImageSettings } from '../deploy/deployment-files.ts';
import { readSiteFlags } from '../deploy/read-site-flags.ts';

const page = readSource('docs/core-instances.md');
const dockerfile = readSource('deploy/Dockerfile');

describe('docs/core-instances.md', () => {
  it('states the bounds that the code has', () => {
    const { maxBytes, maxFurtherStateBytes, maxStateBytesPerAgent, maxAgeMilliseconds } = defaultSpoolBounds;
    const days = maxAgeMilliseconds / 86_400_000;
    const mebibytes = (bytes: number) => bytes / 1_048_576;
    const bounds = [
      `is refused at the site | within ${credentialsIntervalMilliseconds / 1_000} seconds.`,
      `| Size of the spool | ${mebibytes(maxBytes) / 1_024} GiB. Beyond that, new errors get 503 with \`Retry-After\`; registrations and updates have ${mebibytes(maxFurtherStateBytes)} MiB more |`,
      `| Registrations and updates of one agent that wait | ${mebibytes(maxStateBytesPerAgent)} MiB.`,
      `| Age of errors that wait | ${days} days.`,
      `| at most ${defaultForwardingLimits.itemsPerSecond.toLocaleString('en')} items per second,`,
      `The service has heard it within the last ${unreachableAfterSeconds} seconds.`,
    ];
    expect(bounds.filter((bound) => !page.includes(bound))).toEqual([]);
    // Older ones would get another time at the service.
    expect(days).toBeLessThanOrEqual(maxItemAgeDays);
    expect([coreInstanceLagsAfterSeconds, page.includes('lag by more than a minute')]).toEqual([60, true]);
    expect(page.match(/port (\d{4}) of the core instance/)?.[1]).toBe(String(defaultSitePort));
  });
});

const wordsOf = (command: string) =>
  [...command.replaceAll('\\\n', ' ').matchAll(/'([^']*)'|(\S+)/g)].map(
    ([, quoted, plain]) => quoted ?? plain ?? '',
  );

describe('the command for Docker', () => {
  const steps = deploymentSteps({
    name: 'plant 7',
    url: 'https://muster.example.com',
    hasJoinToken: true,
  }).join('\n');
  const dockerRun = /docker run (?:.*\\\n)*.*/;

  it.each([
    ['of the page', dockerRun.exec(page)?.[0], 'plant-7'],
    ['that muster core-instance create prints', dockerRun.exec(steps)?.[0], 'plant 7'],
  ])('%s starts a core instance with its volume, its token and its port', async (_, command = '', name) => {
    const words = wordsOf(command);
    const image = words.indexOf('muster');
    expect(await readSiteFlags(words.slice(image + 1))).toEqual({
      url: 'https://muster.example.com',
      name,
      tokenFile: '/run/secrets/token',
      stateDirectory: '/data',
      listen: `0.0.0.0:${defaultSitePort}`,
    });
    const given = words.slice(2, image);
    expect(given).toEqual(expect.arrayContaining(['-p', `${defaultSitePort}:${defaultSitePort}`]));
    expect(given).toContain(`muster-core-instance:${readImageSettings().MUSTER_DATA_DIR}`);
    expect(given).toContain('/etc/muster/core-instance.token:/run/secrets/token:ro');
    // The health check of the image asks that port.
    expect(given).toContain(`PORT=${defaultSitePort}`);
    expect(dockerfile).toContain('get({ port: PORT, path: `/healthz`');
  });
});
