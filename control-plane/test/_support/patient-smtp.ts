import { parseSmtpUrl } from '../../src/config/setting-values.js';
import { SmtpTransport } from '../../src/mail/smtp-transport.js';

type SmtpServer = ConstructorParameters<typeof SmtpTransport>[0];

/** A busy machine accepts connections, and is greeted on them, much later than mail servers in service. */
const PATIENCE_MS = { connect: 120_000, greeting: 120_000, silence: 120_000 };

/** Transport to a mail server of a test; `server`: its URL, or what one says. */
export function patientSmtp(server: string | SmtpServer, trustedCertificates: string | null = null): SmtpTransport {
  const to = typeof server === 'string' ? parseSmtpUrl(server) : server;
  return new SmtpTransport(to, trustedCertificates, PATIENCE_MS);
}
