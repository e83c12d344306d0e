import { connect, type Socket } from 'node:net';
import type { Clock } from '@vantage/shared/clock.js';
import type { ProbeErrorCode } from '@vantage/shared/probe-types/error-codes.js';
import { ProbeFailure } from '../probes/failure.js';
import { abortable } from './abortable.js';
import { formatEndpoint } from './endpoint.js';
import type { ResolvedAddress } from './resolver.js';
import { socketFailure } from './socket-failure.js';

/** Milliseconds the preferred family has for itself before the other one is tried beside it (RFC 8305 section 5). */
const FAMILY_DELAY_MS = 250;
/** Addresses tried per family, one after another; a name may have a thousand. */
const ADDRESSES_PER_FAMILY = 3;

/** Where to connect; every address has passed the target policy. */
export interface ConnectRequest {
  readonly addresses: readonly ResolvedAddress[];
  readonly port: number;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/** An established connection; whoever receives it destroys the socket. */
export interface Connection {
  readonly socket: Socket;
  readonly address: ResolvedAddress;
  /** SYN to established of this address alone, monotonic milliseconds. */
  readonly connectMs: number;
}

/** Nobody answered; `address` is the one the code speaks of. */
export class ConnectFailure extends ProbeFailure {
  constructor(
    code: ProbeErrorCode,
    message: string,
    readonly address: ResolvedAddress,
    options?: { cause?: unknown },
  ) {
    super(code, message, options);
  }
}

/**
 * Connects to the first address that answers. Each family tries its addresses in order; the second family starts after
 * 250 ms, or as soon as the first one has failed, and the loser is closed.
 * @throws ConnectFailure of the preferred family, unless only the other one was reachable; or the signal's reason
 */
export async function connectTcp(request: ConnectRequest): Promise<Connection> {
  const [first, second] = byFamily(request.addresses);
  if (first === undefined) throw new RangeError('no address to connect to');
  return second === undefined ? connectInOrder(first, request) : race(first, second, request);
}

function byFamily(addresses: readonly ResolvedAddress[]): ResolvedAddress[][] {
  const preferred = addresses[0]?.family;
  const groups = [addresses.filter((a) => a.family === preferred), addresses.filter((a) => a.family !== preferred)];
  return groups.filter((group) => group.length > 0).map((group) => group.slice(0, ADDRESSES_PER_FAMILY));
}

async function connectInOrder(addresses: readonly ResolvedAddress[], request: ConnectRequest): Promise<Connection> {
  let failure: unknown;
  for (const address of addresses) {
    try {
      return await connectOnce(address, request);
    } catch (error) {
      if (!(error instanceof ConnectFailure)) throw error;
      failure ??= error;
    }
  }
  throw failure;
}

function race(
  first: readonly ResolvedAddress[],
  second: readonly ResolvedAddress[],
  request: ConnectRequest,
): Promise<Connection> {
  return abortable(request.signal, ({ resolve, reject }) => {
    const losers = new AbortController();
    const signal = losers.signal;
    let firstFailure: unknown;
    let secondFailure: unknown;
    let isSecondStarted = false;

    const giveUpIfBothFailed = () => {
      if (firstFailure !== undefined && secondFailure !== undefined) reject(worthTelling(firstFailure, secondFailure));
    };
    const win = (connection: Connection) => {
      // both can be established before either is heard of: the second one heard is closed
      if (signal.aborted) connection.socket.destroy();
      else resolve(connection);
    };
    const startSecond = () => {
      if (isSecondStarted) return;
      isSecondStarted = true;
      connectInOrder(second, { ...request, signal }).then(win, (error) => {
        secondFailure = error;
        giveUpIfBothFailed();
      });
    };

    const cancelDelay = request.clock.after(FAMILY_DELAY_MS, startSecond);
    connectInOrder(first, { ...request, signal }).then(win, (error) => {
      firstFailure = error;
      startSecond();
      giveUpIfBothFailed();
    });
    return () => {
      cancelDelay();
      losers.abort();
    };
  });
}

/** A family this machine cannot reach says nothing about the target. */
function worthTelling(first: unknown, second: unknown): unknown {
  return first instanceof ConnectFailure && first.code === 'net_unreachable' ? second : first;
}

function connectOnce(address: ResolvedAddress, { port, signal, clock }: ConnectRequest): Promise<Connection> {
  return abortable(signal, ({ resolve, reject }) => {
    const startedAt = clock.monotonicMs();
    const socket = connect({
      host: address.address,
      port,
      family: address.family,
      autoSelectFamily: false,
      noDelay: true,
    });
    // this listener stays: an error between two owners must not end the process
    socket.on('error', (error) => reject(connectFailure(error, address, port)));
    socket.once('connect', () => resolve({ socket, address, connectMs: clock.monotonicMs() - startedAt }));
    return (isResolved) => {
      if (!isResolved) socket.destroy();
    };
  });
}

function connectFailure(error: unknown, address: ResolvedAddress, port: number): ConnectFailure {
  const what = `cannot connect to ${formatEndpoint({ address: address.address, port })}`;
  const failure = socketFailure(error, what) ?? new ProbeFailure('internal', what);
  return new ConnectFailure(failure.code, failure.message, address, { cause: error });
}
