import { Socket } from 'node:net';
import type { Clock } from '@vantage/shared/clock.js';
import type { ProbeErrorCode } from '@vantage/shared/probe-types/error-codes.js';
import { ProbeFailure } from '../probes/failure.js';
import { abortable, type Settle } from './abortable.js';
import { formatEndpoint } from './endpoint.js';
import type { ResolvedAddress } from './resolved-address.js';
import { socketFailure } from './socket-failure.js';

/** Delay in milliseconds before the next attempt begins in parallel (RFC 8305 section 8). */
const ATTEMPT_DELAY_MS = 250;
/** Addresses tried per family; a name may have a thousand. */
const ADDRESSES_PER_FAMILY = 3;

/** Destination of a connection; every address has passed the target policy. */
export interface ConnectRequest {
  readonly addresses: readonly ResolvedAddress[];
  readonly port: number;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/** An established connection, whose socket the receiver destroys. */
export interface Connection {
  readonly socket: Socket;
  readonly address: ResolvedAddress;
  /** SYN to established of this address alone, monotonic milliseconds. */
  readonly connectMs: number;
}

/** Failure to connect to any address; `address` is the one that the code refers to. */
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
 * Connects to the first address that answers (RFC 8305 section 5): families take turns, the preferred one first, and an
 * address is tried 250 ms after the one before it, or as soon as an attempt has failed. Earlier attempts go on next to
 * it; losers are closed. Every address is known by then, because the policy judges all answers of DNS before the first
 * packet: nothing is connected to while the other family is still being resolved (section 3).
 * @throws ConnectFailure of the first address, unless only others were reachable; or the signal's reason
 */
export async function connectTcp(request: ConnectRequest): Promise<Connection> {
  const candidates = inTurns(request.addresses);
  if (candidates.length === 0) throw new RangeError('no address to connect to');
  return abortable(request.signal, (settle) => {
    const race = new Race(candidates, request, settle);
    race.begin();
    return () => race.end();
  });
}

/** Attempts side by side, until one is established or all have failed. */
class Race {
  readonly #candidates: readonly ResolvedAddress[];
  readonly #request: ConnectRequest;
  readonly #settle: Settle<Connection>;
  readonly #open = new Set<Socket>();
  readonly #failures: ConnectFailure[] = [];
  #begun = 0;
  #isOver = false;
  #cancelDelay = () => {};

  constructor(candidates: readonly ResolvedAddress[], request: ConnectRequest, settle: Settle<Connection>) {
    this.#candidates = candidates;
    this.#request = request;
    this.#settle = settle;
  }

  /** Tries the next address; the one after it follows by itself. */
  begin(): void {
    const { port, clock } = this.#request;
    const address = this.#candidates[this.#begun];
    if (address === undefined || this.#isOver) return;
    const place = this.#begun;
    this.#begun += 1;
    this.#cancelDelay();
    if (this.#begun < this.#candidates.length) this.#cancelDelay = clock.after(ATTEMPT_DELAY_MS, () => this.begin());
    const startedAt = clock.monotonicMs();
    const { address: host, family } = address;
    // options would be copied, with a separate hidden class for each socket (Node 20)
    const socket = new Socket();
    socket.setNoDelay(true);
    this.#open.add(socket);
    // this listener is kept: an error between two owners must not end the process
    socket.on('error', (error) => this.#lose(place, connectFailure(error, address, port)));
    socket.once('connect', () => {
      this.#open.delete(socket);
      this.#settle.resolve({ socket, address, connectMs: clock.monotonicMs() - startedAt });
    });
    socket.connect({ host, port, family, autoSelectFamily: false });
  }

  /** Closes what is still being tried. */
  end(): void {
    this.#isOver = true;
    this.#cancelDelay();
    for (const socket of this.#open) socket.destroy();
  }

  #lose(place: number, failure: ConnectFailure): void {
    if (this.#isOver) return;
    this.#failures[place] = failure;
    if (this.#begun < this.#candidates.length) return this.begin();
    const failures = Object.values(this.#failures);
    if (failures.length === this.#candidates.length) this.#settle.reject(mostUseful(failures));
  }
}

/** The preferred family first, then one of each in turns, each in its order. */
function inTurns(addresses: readonly ResolvedAddress[]): readonly ResolvedAddress[] {
  if (addresses.length === 1) return addresses;
  const preferred = addresses[0]?.family;
  const first = addresses.filter(({ family }) => family === preferred).slice(0, ADDRESSES_PER_FAMILY);
  const second = addresses.filter(({ family }) => family !== preferred).slice(0, ADDRESSES_PER_FAMILY);
  const pairs = Array.from({ length: ADDRESSES_PER_FAMILY }, (_, i) => [first[i], second[i]]);
  return pairs.flat().filter((address) => address !== undefined);
}

/** A network this machine cannot reach says nothing about the target. */
function mostUseful(failures: readonly ConnectFailure[]): ConnectFailure | undefined {
  return failures.find(({ code }) => code !== 'net_unreachable') ?? failures[0];
}

function connectFailure(error: unknown, address: ResolvedAddress, port: number): ConnectFailure {
  const what = `cannot connect to ${formatEndpoint({ address: address.address, port })}`;
  const failure = socketFailure(error, what) ?? new ProbeFailure('internal', what);
  return new ConnectFailure(failure.code, failure.message, address, { cause: error });
}
