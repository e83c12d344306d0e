import type { Socket } from 'node:net';
import type { SecureContext, TLSSocket } from 'node:tls';
import type { ProbeSpecs } from '@vantage/shared/probe-types/index.js';
import type { Host } from '@vantage/shared/target-policy/host.js';
import { startTls } from '../../net/tls/handshake.js';
import { describeTls, verificationFailure } from '../../net/tls/report.js';
import { serviceName } from '../../net/user-agent.js';
import type { ProbeContext } from '../engine.js';
import { escapeBytes } from '../escape-bytes.js';
import { ProbeFailure } from '../failure.js';
import { Conversation } from './conversation.js';
import type { SmtpReply } from './reply-reader.js';
import type { Visit } from './visit.js';

/** Name in the greeting of a node without a service; it belongs to no machine (RFC 2606 section 2). */
const NAMELESS = 'vantage-agent.invalid';

export interface SessionOptions extends Pick<ProbeContext, 'clock' | 'signal' | 'userAgent'> {
  readonly host: Host;
  readonly params: ProbeSpecs['smtp']['params'];
  readonly secureContext: () => SecureContext;
  /** True if TLS begins with the first byte. */
  readonly isImplicitTls: boolean;
}

/**
 * Greeting, EHLO, STARTTLS where it is wanted, EHLO again, QUIT; no mail. Writes what happens into `visit`. The
 * sockets are closed in the end.
 * @throws ProbeFailure smtp_rejected, tls_*, tcp_reset; or the signal's reason
 */
export async function holdSession(socket: Socket, visit: Visit, options: SessionOptions): Promise<void> {
  let connection: Socket = socket;
  let conversation = new Conversation(socket, { clock: options.clock, isOurTurn: false });
  const overTls = async () => {
    const tlsSocket = await secure(connection, visit, options);
    connection = tlsSocket;
    conversation = new Conversation(tlsSocket, { clock: options.clock, isOurTurn: !options.isImplicitTls });
    judgeCertificate(visit, options);
  };
  try {
    if (options.isImplicitTls) await overTls();
    await greet(conversation, visit, options);
    await introduce(conversation, visit, options);
    if (!wantsStarttls(visit, options)) return;
    await askForTls(conversation, visit, options);
    await overTls();
    visit.isStarttlsDone = true;
    visit.ehloBeforeTls = visit.ehlo;
    await introduce(conversation, visit, options);
  } finally {
    await conversation.quit(options.signal);
    connection.destroy();
    socket.destroy();
  }
}

async function greet(conversation: Conversation, visit: Visit, { clock, signal }: SessionOptions): Promise<void> {
  const startedAt = clock.monotonicMs();
  const reply = await conversation.receive(signal);
  visit.bannerMs = clock.monotonicMs() - startedAt;
  visit.banner = textOf(reply).join('\n');
  if (reply.code !== 220) throw rejected('the greeting was', reply);
}

/** EHLO, or HELO where the server does not know it (RFC 5321 section 3.2). */
async function introduce(conversation: Conversation, visit: Visit, options: SessionOptions): Promise<void> {
  const name = serviceName(options.userAgent) ?? NAMELESS;
  const { reply, ms } = await conversation.ask(`EHLO ${name}`, options.signal);
  visit.ehloMs ??= ms;
  if (reply.code === 250) {
    visit.ehlo = textOf(reply);
    // keywords are case-insensitive (RFC 5321 section 2.4); the first line is the server's name
    const offers = visit.ehlo.slice(1).some((line) => line.toUpperCase().split(' ', 1)[0] === 'STARTTLS');
    if (!options.isImplicitTls) visit.isStarttlsOffered ??= offers;
    return;
  }
  if (reply.code !== 500 && reply.code !== 502) throw rejected('the reply to EHLO was', reply);
  visit.ehlo = [];
  if (!options.isImplicitTls) visit.isStarttlsOffered ??= false;
  const old = await conversation.ask(`HELO ${name}`, options.signal);
  if (old.reply.code !== 250) throw rejected('the reply to HELO was', old.reply);
}

function wantsStarttls(visit: Visit, { params, isImplicitTls }: SessionOptions): boolean {
  if (isImplicitTls || params.starttls === 'never') return false;
  if (visit.isStarttlsOffered === true) return true;
  if (params.starttls === 'auto') return false;
  throw new ProbeFailure('tls_handshake', 'STARTTLS is required, and the server does not offer it');
}

async function askForTls(conversation: Conversation, visit: Visit, { signal }: SessionOptions): Promise<void> {
  visit.isStarttlsAsked = true;
  const { reply } = await conversation.ask('STARTTLS', signal);
  if (reply.code !== 220) throw rejected('the reply to STARTTLS was', reply);
  // unencrypted bytes after the reply to STARTTLS would be taken for bytes of the encrypted session (CVE-2011-0411)
  if (conversation.hasMore) {
    throw new ProbeFailure('tls_handshake', 'the server sent more unencrypted data after it agreed to TLS');
  }
}

async function secure(
  socket: Socket,
  visit: Visit,
  { host, secureContext, signal, clock }: SessionOptions,
): Promise<TLSSocket> {
  const handshake = await startTls(socket, { host, secureContext: secureContext(), protocols: [], signal, clock });
  visit.tlsMs = handshake.ms;
  visit.tls = describeTls(handshake.socket);
  return handshake.socket;
}

function judgeCertificate({ tls }: Visit, { params }: SessionOptions): void {
  const failure = params.verify_tls && tls !== null ? verificationFailure(tls) : null;
  if (failure !== null) throw failure;
}

function textOf({ lines }: SmtpReply): string[] {
  return lines.map(escapeBytes);
}

/** The server's own words say why. */
function rejected(what: string, reply: SmtpReply): ProbeFailure {
  return new ProbeFailure('smtp_rejected', `${what} ${reply.code} ${textOf(reply).join(' ')}`.trimEnd());
}
