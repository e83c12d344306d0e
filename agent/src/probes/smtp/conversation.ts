import type { Socket } from 'node:net';
import type { Clock } from '@vantage/shared/clock.js';
import { abortable, type Settle } from '../../net/abortable.js';
import { within } from '../../net/deadline.js';
import { socketFailure } from '../../net/socket-failure.js';
import { ProbeFailure } from '../failure.js';
import { ReplyReader, type SmtpReply } from './reply-reader.js';

/** Milliseconds a server has to answer QUIT; nothing is measured any more. */
const QUIT_WAIT_MS = 1000;

/** Commands and replies over one socket, clear or TLS, one at a time. The creator of the socket destroys it. */
export class Conversation {
  readonly #socket: Socket;
  readonly #clock: Clock;
  readonly #reader = new ReplyReader();
  #isOurTurn: boolean;

  /** `isOurTurn`: whether the server waits for a command already, as it does after STARTTLS. */
  constructor(socket: Socket, { clock, isOurTurn }: { readonly clock: Clock; readonly isOurTurn: boolean }) {
    this.#socket = socket;
    this.#clock = clock;
    this.#isOurTurn = isOurTurn;
  }

  /** True if the server has sent bytes beyond the last reply. */
  get hasMore(): boolean {
    return this.#reader.hasMore;
  }

  /** The reply to come. @throws ProbeFailure smtp_rejected, tcp_reset; or the signal's reason */
  async receive(signal: AbortSignal): Promise<SmtpReply> {
    this.#isOurTurn = false;
    if (this.#socket.destroyed) throw endFailure(this.#socket);
    const reply = this.#reader.push(Buffer.alloc(0)) ?? (await this.#nextReply(signal));
    this.#isOurTurn = !this.#reader.hasMore;
    return reply;
  }

  /**
   * Sends a command line and waits for its reply; `ms` is sent to received.
   * @throws ProbeFailure smtp_rejected when the server did not wait for its turn, tcp_reset; or the signal's reason
   */
  async ask(command: string, signal: AbortSignal): Promise<{ reply: SmtpReply; ms: number }> {
    if (this.#reader.hasMore) throw new ProbeFailure('smtp_rejected', 'the server sent more than was requested');
    const sentAt = this.#clock.monotonicMs();
    this.#socket.write(`${command}\r\n`);
    const reply = await this.receive(signal);
    return { reply, ms: this.#clock.monotonicMs() - sentAt };
  }

  /** Sends QUIT where the server waits for a command; takes a second at most, and never fails. */
  async quit(signal: AbortSignal): Promise<void> {
    if (!this.#isOurTurn || signal.aborted || this.#socket.destroyed) return;
    const limit = {
      clock: this.#clock,
      ms: QUIT_WAIT_MS,
      reason: () => new ProbeFailure('timeout', 'no response to QUIT'),
    };
    await within(limit, signal, (limited) => this.ask('QUIT', limited)).catch(() => undefined);
  }

  #nextReply(signal: AbortSignal): Promise<SmtpReply> {
    const socket = this.#socket;
    return abortable(signal, (settle) => {
      const onData = (chunk: Buffer) => this.#take(chunk, settle);
      const onEnd = () => settle.reject(endFailure(socket));
      socket.on('data', onData).once('end', onEnd).once('close', onEnd);
      socket.resume();
      return () => {
        socket.off('data', onData).off('end', onEnd).off('close', onEnd);
        // unsolicited data stays in the buffer until the next command
        socket.pause();
      };
    });
  }

  #take(chunk: Buffer, { resolve, reject }: Settle<SmtpReply>): void {
    try {
      const reply = this.#reader.push(chunk);
      if (reply !== null) resolve(reply);
    } catch (error) {
      reject(error);
    }
  }
}

/** Failure for a closed connection; a socket error says more than the mere end. */
function endFailure(socket: Socket): ProbeFailure {
  return (
    socketFailure(socket.errored, 'connection') ??
    new ProbeFailure('smtp_rejected', 'the server closed the connection in the middle of the session')
  );
}
