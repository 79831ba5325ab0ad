import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** The message as it was sent. */
  readonly text: string;
  /** As the client signed in. */
  readonly user: string;
}

/** A real mail server, which refuses recipients that are called `refused`. */
export interface MailReceiver {
  readonly port: number;
  readonly received: ReceivedMail[];
  close(): Promise<void>;
}

export async function startMailReceiver(user: string, password: string): Promise<MailReceiver> {
  const received: ReceivedMail[] = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth(auth, _session, done) {
      if (auth.username === user && auth.password === password) done(null, { user });
      else done(new Error('invalid password'));
    },
    onRcptTo({ address }, _session, done) {
      if (address.startsWith('refused@'))
        done(Object.assign(new Error('no such user'), { responseCode: 550 }));
      else done();
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        received.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          text: Buffer.concat(chunks).toString('utf8'),
          user: String(session.user),
        });
        done();
      });
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo; // it listens on a port
  return {
    port,
    received,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
