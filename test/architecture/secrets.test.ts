import { describe, expect, it } from 'vitest';
import { propertiesUsedIn } from './read-imports.ts';
import { productFiles } from './source-files.ts';

/**
 * The places that may unwrap the value of a token: the answers that contain it, the first start, the derivation of a new value from the
 * credential of the request, what signs a browser in (its cookie, the link, and the secret of the client for the identity provider), what
 * alerts are encrypted, signed and sent with, and what `muster doctor` reads the metrics of its own service with.
 */
const revealing = [
  'server/src/app/start/announce.ts',
  'server/src/core-instances/core-instance-routes.ts',
  'server/src/errors/alerts/channels/channel-routes.ts',
  'server/src/errors/alerts/channels/channel-service.ts',
  'server/src/errors/alerts/sending/mail-sender.ts',
  'server/src/fleet/agents/agent-routes.ts',
  'server/src/fleet/projects/project-routes.ts',
  'server/src/foundation/secret-box.ts',
  'server/src/foundation/transfer-seal.ts',
  'server/src/foundation/write-secret-file.ts',
  'server/src/pages/invitation-routes.ts',
  'server/src/pages/sign-in-routes.ts',
  'server/src/people/members/member-routes.ts',
  'server/src/people/rotations/derive-value.ts',
  'server/src/people/sign-in-link-url.ts',
  'server/src/people/tokens/token-routes.ts',
  'server/src/people/users/sessions/provider-sign-in-service.ts',
  'server/src/people/users/user-routes.ts',
  'server/src/upkeep/doctor/check-network.ts',
  'server/src/upkeep/moves/arrival-service.ts',
];

describe('the value of a secret', () => {
  it('is revealed only in the files listed here, each with a reason', () => {
    const found = productFiles().filter((path) => propertiesUsedIn(path).has('reveal'));
    expect(found.sort()).toEqual(revealing);
  });
});
