import { createTransport, type Transporter } from 'nodemailer';
import type { Secret } from '../../secret.ts';

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
}

interface MailSenderOptions {
  readonly url: Secret;
  readonly from: string;
  readonly timeoutMilliseconds: number;
}

/** Sends mail through the server of the settings (RFC 5321). A connection for each mail: alerts are seldom. */
export class MailSender {
  readonly #options: MailSenderOptions;
  readonly #transport: Transporter;
  readonly #domain: string;

  constructor(options: MailSenderOptions) {
    const { timeoutMilliseconds } = options;
    this.#options = options;
    this.#domain = options.from.slice(options.from.indexOf('@') + 1);
    this.#transport = createTransport({
      url: options.url.reveal(),
      dnsTimeout: timeoutMilliseconds,
      connectionTimeout: timeoutMilliseconds,
      greetingTimeout: timeoutMilliseconds,
      socketTimeout: timeoutMilliseconds,
      // A text can name neither a file nor an address to read from.
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  }

  /** @throws Error whose message contains neither the URL nor the password of the server */
  async send({ id, sentAt, to, subject, text, html }: OutgoingMail): Promise<MailAnswer> {
    try {
      const { response } = await this.#transport.sendMail({
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
      return { text: String(response) };
    } catch (error) {
      throw new Error(explain(error));
    }
  }
}

function explain(error: unknown): string {
  const { code, responseCode } = error as { readonly code?: unknown; readonly responseCode?: unknown }; // both checked below
  if (typeof responseCode === 'number') return `The mail server refused the mail (${responseCode}).`;
  return `The mail server could not be reached (${typeof code === 'string' ? code : 'unknown failure'}).`;
}
