import { once } from 'node:events';
import { connect } from 'node:tls';
import { expect, it } from 'vitest';
import { expectUsable } from '../robustness/expect-answer.ts';
import { RawConnection } from '../robustness/raw-connection.ts';
import { type SecureApp, startSecureApp } from './secure-app.ts';

/** The serial number of the certificate that a new connection gets. */
async function servedSerial({ port, ca }: SecureApp): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', ca });
  await once(socket, 'secureConnect');
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}

it('a new certificate is used for new connections, and open ones go on', async () => {
  const app = await startSecureApp();
  const connection = await RawConnection.open(app.port, app.ca);
  await expectUsable(connection);
  const before = await servedSerial(app);

  app.write(app.authority.issue());
  await app.files.check();
  const after = await servedSerial(app);
  expect(after).not.toBe(before);
  await expectUsable(connection);

  app.write({ cert: 'broken', key: 'broken' });
  await app.files.check();
  expect(await servedSerial(app)).toBe(after);
  await expectUsable(connection);
  connection.destroy();
  await app.close();
});
