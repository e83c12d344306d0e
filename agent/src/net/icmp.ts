// Raw ICMP for every probe of the process:
//
//   ping ------ EchoFlow --+                +-- RawChannel ICMP ----- one raw socket per family, always open
//                          +-- FlowTable ---+
//   traceroute  PortFlow --+  (per family)  +-- SharedChannels ------ raw UDP (send only) and TCP, while in use
//
// Packets of one turn of the event loop are sent at its end, in one call of the addon, each with its own time. A
// received packet is decoded in the same turn, the table finds its flow, and the flow checks source and cookie.
import { randomInt } from 'node:crypto';
import type { Clock } from '@vantage/shared/clock.js';
import { loadAddon } from './icmp/addon.js';
import type { Family } from './icmp/address.js';
import type { Arrival } from './icmp/arrival.js';
import { chooseChannels } from './icmp/choose-channels.js';
import { DatagramEngine } from './icmp/datagram-engine.js';
import { decodeTcpReply } from './icmp/datagrams.js';
import { EchoFlow, type EchoFlowOptions } from './icmp/echo-flow.js';
import type { IcmpEngine, IcmpKind } from './icmp/engine.js';
import { RawSocketError, SendError } from './icmp/errors.js';
import type { Flow } from './icmp/flow.js';
import { FlowTable } from './icmp/flow-table.js';
import { decodeIpv4Header } from './icmp/ipv4.js';
import { openLocalEndpoint } from './icmp/local-endpoint.js';
import { decodeIcmpV4, decodeIcmpV6 } from './icmp/message.js';
import { PortFlow, type PortFlowOptions, tcpLabelling, udpLabelling } from './icmp/port-flow.js';
import { protocols } from './icmp/protocols.js';
import type { ChannelOpener, RawChannel } from './icmp/raw-channel.js';
import { type ChannelLease, SharedChannels } from './icmp/shared-channels.js';

export type { Family } from './icmp/address.js';
export type { IcmpEngine, IcmpKind } from './icmp/engine.js';
export { RawSocketError, SendError } from './icmp/errors.js';
export type { Answer, Flow, FlowListener, FlowTarget } from './icmp/flow.js';
export { type AnswerName, unreachableCode } from './icmp/names.js';
export { rawSocketRemedy } from './icmp/permission.js';

/** True if arrival times are the kernel's: right, however late the event loop reads them. */
export function hasKernelTimes(engine: IcmpEngine | null): boolean {
  return engine !== null && engine.kind !== 'raw-socket';
}

/** Dependencies of an engine. */
export interface IcmpEngineOptions {
  readonly clock: Clock;
  /** A socket failed to receive, or a listener threw; the engine continues. */
  readonly onFault: (error: Error) => void;
  /** Left out: the best that loads. */
  readonly kind?: IcmpKind;
}

/** Opens the raw sockets of this process, which the caller closes. @throws RawSocketError */
export function openIcmpEngine({ kind, ...options }: IcmpEngineOptions): IcmpEngine {
  if (kind === 'datagram') return openDatagramEngine(options);
  if (kind !== undefined) return new RawSocketEngine(chooseChannels(kind), options);
  try {
    return new RawSocketEngine(chooseChannels(), options);
  } catch (error) {
    if (!(error instanceof RawSocketError) || error.fault !== 'not_permitted') throw error;
    return orElse(error, () => openDatagramEngine(options));
  }
}

function openDatagramEngine(options: Pick<IcmpEngineOptions, 'clock' | 'onFault'>): IcmpEngine {
  return new DatagramEngine(loadAddon(), options);
}

/** Tries the second way; if it fails too, the first error is reported, because that is the one to repair. */
function orElse<T>(first: RawSocketError, open: () => T): T {
  try {
    return open();
  } catch (error) {
    throw error instanceof RawSocketError ? first : error;
  }
}

/** The parts of one address family. */
interface Road {
  readonly table: FlowTable;
  readonly channel: RawChannel;
}

// above the ports that Linux gives to connections by default (net.ipv4.ip_local_port_range), so that no connection of
// this machine uses the same pair of ports
const synPorts = { from: 61000, to: 65536 } as const;

class RawSocketEngine implements IcmpEngine {
  readonly kind: IcmpKind;
  readonly #base: Pick<IcmpEngineOptions, 'clock' | 'onFault'>;
  readonly #channels: ChannelOpener;
  readonly #roads: ReadonlyMap<Family, Road>;
  readonly #shared: SharedChannels;

  constructor(channels: ChannelOpener, base: Pick<IcmpEngineOptions, 'clock' | 'onFault'>) {
    this.#base = base;
    this.#channels = channels;
    this.kind = channels.kind;
    this.#shared = new SharedChannels(channels);
    const v4 = this.#openRoad(4);
    const v6 = this.#openRoadIfSupported(6);
    this.#roads = new Map(
      v6 === null
        ? [[4, v4]]
        : [
            [4, v4],
            [6, v6],
          ],
    );
  }

  supports(family: Family): boolean {
    return this.#roads.has(family);
  }

  openEcho(options: EchoFlowOptions): Flow {
    return new EchoFlow(this.#roadOf(options.target.family), options);
  }

  async openUdp(options: PortFlowOptions): Promise<Flow> {
    const { family } = options.target;
    const { table } = this.#roadOf(family);
    const endpoint = await openLocalEndpoint(options.target, options.port);
    try {
      const lease = this.#shared.lease({ ...this.#base, family, protocol: protocols.udp, onPacket: null });
      const release = () => {
        lease.release();
        endpoint.close();
      };
      const labelling = udpLabelling(randomInt(0xffff));
      const flow = new PortFlow({ channel: lease.channel, table, labelling, source: endpoint, release }, options);
      table.addPort(labelling.protocol, endpoint.port, flow);
      return flow;
    } catch (error) {
      endpoint.close();
      throw error;
    }
  }

  async openTcp(options: PortFlowOptions): Promise<Flow> {
    const { table } = this.#roadOf(options.target.family);
    const { address, close } = await openLocalEndpoint(options.target, options.port);
    close();
    const { channel, release } = this.#leaseTcp(options.target.family, table);
    for (;;) {
      const source = { address, port: randomInt(synPorts.from, synPorts.to) };
      const labelling = tcpLabelling(randomInt(2 ** 32));
      const flow = new PortFlow({ channel, table, labelling, source, release }, options);
      if (table.addPort(labelling.protocol, source.port, flow)) return flow;
    }
  }

  close(): void {
    this.#shared.closeAll();
    for (const { channel } of this.#roads.values()) channel.close();
  }

  #leaseTcp(family: Family, table: FlowTable): ChannelLease {
    const onPacket = (bytes: Buffer, arrival: Arrival) => {
      const headerBytes = family === 4 ? (decodeIpv4Header(bytes)?.headerBytes ?? bytes.length) : 0;
      const reply = decodeTcpReply(bytes.subarray(headerBytes));
      if (reply !== null) table.dispatchSegment(reply, arrival);
    };
    return this.#shared.lease({ ...this.#base, family, protocol: protocols.tcp, onPacket });
  }

  #openRoad(family: Family): Road {
    const table = new FlowTable();
    const decode = family === 4 ? decodeIcmpV4 : decodeIcmpV6;
    const onPacket = (bytes: Buffer, arrival: Arrival) => {
      const message = decode(bytes);
      if (message !== null) table.dispatchMessage(message, arrival);
    };
    const protocol = family === 4 ? protocols.icmp : protocols.icmpV6;
    return { table, channel: this.#channels.open({ ...this.#base, family, protocol, onPacket }) };
  }

  #openRoadIfSupported(family: Family): Road | null {
    try {
      return this.#openRoad(family);
    } catch (error) {
      if (error instanceof RawSocketError && error.fault === 'not_supported') return null;
      throw error;
    }
  }

  #roadOf(family: Family): Road {
    const road = this.#roads.get(family);
    if (road === undefined) throw new SendError('EAFNOSUPPORT', `this system has no raw IPv${family} sockets`);
    return road;
  }
}
