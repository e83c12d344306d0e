import type { Clock } from '@vantage/shared/clock.js';
import type { Addon } from './addon.js';
import { openDatagramChannel } from './addon-channel.js';
import type { Family } from './address.js';
import { EchoFlow, type EchoFlowOptions } from './echo-flow.js';
import type { IcmpEngine } from './engine.js';
import { RawSocketError, SendError } from './errors.js';
import type { Flow } from './flow.js';
import { FlowTable } from './flow-table.js';
import { decodeIcmpV6, decodeMessageV4 } from './message.js';
import type { RawChannel } from './raw-channel.js';

interface DatagramEngineOptions {
  readonly clock: Clock;
  readonly onFault: (error: Error) => void;
}

/**
 * Echo requests without privileges, by the ICMP sockets that Linux gives to the groups of net.ipv4.ping_group_range. Each
 * flow has a socket, because the kernel chooses the identifier, one per socket. Only echo replies come back: no errors,
 * so it reports no unreachable targets or expired packets, and cannot trace.
 */
export class DatagramEngine implements IcmpEngine {
  readonly kind = 'datagram';
  readonly #addon: Addon;
  readonly #options: DatagramEngineOptions;
  readonly #families: ReadonlySet<Family>;
  readonly #open = new Set<RawChannel>();

  /** @throws RawSocketError where this process's groups have no such sockets */
  constructor(addon: Addon, options: DatagramEngineOptions) {
    this.#addon = addon;
    this.#options = options;
    this.#families = new Set(([4, 6] as const).filter((family) => this.#isPermitted(family)));
    if (!this.#families.has(4)) throw new RawSocketError('not_permitted', 'the system does not permit ICMP sockets');
  }

  supports(family: Family): boolean {
    return this.#families.has(family);
  }

  openEcho(options: EchoFlowOptions): Flow {
    const { family } = options.target;
    if (!this.supports(family)) throw new SendError('EAFNOSUPPORT', `this system has no IPv${family} ICMP sockets`);
    const table = new FlowTable();
    const { channel, identifier } = this.#openChannel(family, table);
    const flow = new EchoFlow({ channel, table, identifier }, options);
    return {
      send: (index, hopLimit) => flow.send(index, hopLimit),
      close: () => {
        flow.close();
        channel.close();
        this.#open.delete(channel);
      },
    };
  }

  openUdp(): Promise<Flow> {
    return Promise.reject(new SendError('EPERM', 'custom UDP packets require raw sockets'));
  }

  openTcp(): Promise<Flow> {
    return Promise.reject(new SendError('EPERM', 'custom TCP segments require raw sockets'));
  }

  close(): void {
    for (const channel of this.#open) channel.close();
    this.#open.clear();
  }

  #openChannel(family: Family, table: FlowTable) {
    const decode = family === 4 ? decodeMessageV4 : decodeIcmpV6;
    const opened = openDatagramChannel(this.#addon, {
      ...this.#options,
      family,
      onPacket: (bytes, arrival) => {
        const message = decode(bytes);
        if (message !== null) table.dispatchMessage(message, arrival);
      },
    });
    this.#open.add(opened.channel);
    return opened;
  }

  #isPermitted(family: Family): boolean {
    try {
      openDatagramChannel(this.#addon, { ...this.#options, family, onPacket: () => {} }).channel.close();
      return true;
    } catch (error) {
      if (error instanceof RawSocketError) return false;
      throw error;
    }
  }
}
