import { connect } from 'node:net';
import { createTransport, type Transporter } from 'nodemailer';
import type SMTPTransport from 'nodemailer/lib/smtp-transport';
import type { Secret } from '../../../foundation/secret.ts';

/** A mail; every text in it is plain, without control characters. */
export interface OutgoingMail {
  /** The id of the message. It stays the same when it is sent again. */
  readonly id: string;
  /** Milliseconds. */
  readonly sentAt: number;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface MailAnswer {
  /** The answer of the server to the message. */
  readonly text: string;
  /** Recipients that the server refused. It accepted the mail for all others. */
  readonly refused: readonly string[];
  /** True if another mail may reach all of them, such as after greylisting. */
  readonly isRefusedForNow: boolean;
}

interface MailSenderOptions {
  readonly url: Secret;
  readonly from: string;
  readonly timeoutMilliseconds: number;
}

const maxResponseBytes = 65_536;

/** Sends mail through the server of the settings (RFC 5321). A connection for each mail: alerts are seldom. */
export class MailSender {
  readonly #options: MailSenderOptions;
  readonly #domain: string;

  constructor(options: MailSenderOptions) {
    this.#options = options;
    this.#domain = options.from.slice(options.from.indexOf('@') + 1);
  }

  /** @throws Error whose message contains neither the URL nor the password of the server */
  async send({ id, sentAt, to, subject, text, html }: OutgoingMail): Promise<MailAnswer> {
    const { timeoutMilliseconds } = this.#options;
    const deadline = AbortSignal.timeout(timeoutMilliseconds);
    try {
      const {
        response,
        rejected = [],
        rejectedErrors = [],
      } = await this.#connect(deadline).sendMail({
        from: { name: 'Muster', address: this.#options.from },
        to: to.map((address) => ({ name: '', address })),
        subject,
        text,
        html,
        date: new Date(sentAt),
        messageId: `<${id}@${this.#domain}>`,
        // RFC 3834: nothing answers it by itself.
        headers: { 'Auto-Submitted': 'auto-generated' },
      });
      return {
        text: String(response),
        refused: rejected,
        isRefusedForNow: rejectedErrors.every(({ responseCode = 0 }) => responseCode < 500),
      };
    } catch (error) {
      if (!deadline.aborted) throw new Error(explain(error));
      throw new Error(`The mail server did not answer within ${timeoutMilliseconds / 1_000} seconds.`);
    }
  }

  /** The limits of the library start again with each byte that comes, so the connection ends with the deadline, whatever the server sends. */
  #connect(deadline: AbortSignal): Transporter {
    const later = this.#options.timeoutMilliseconds * 2;
    return createTransport({
      url: this.#options.url.reveal(),
      getSocket: ({ host = 'localhost', port, secure }: SMTPTransport.Options, done) => {
        const connection = connect({ host, port: Number(port) || (secure ? 465 : 587), signal: deadline });
        connection.once('error', (error) => done(error, false));
        connection.once('connect', () => done(null, { connection }));
      },
      greetingTimeout: later,
      socketTimeout: later,
      maxResponseSize: maxResponseBytes,
      // A text can name neither a file nor an address to read from.
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  }
}

function explain(error: unknown): string {
  const { code, responseCode } = error as { readonly code?: unknown; readonly responseCode?: unknown }; // both checked below
  if (typeof responseCode === 'number') return `The mail server refused the mail (${responseCode}).`;
  return `The mail server could not be reached (${typeof code === 'string' ? code : 'unknown failure'}).`;
}
