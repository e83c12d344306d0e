import type { Family } from './address.js';
import type { EchoFlowOptions } from './echo-flow.js';
import type { Flow } from './flow.js';
import type { PortFlowOptions } from './port-flow.js';
import type { ChannelKind } from './raw-channel.js';

/**
 * `addon`, `raw-socket`: raw sockets. `datagram`: ICMP sockets without privileges, for echo requests alone; errors are not
 * heard.
 */
export type IcmpKind = ChannelKind | 'datagram';

/** Probe packets that need raw sockets. A target must have passed the target policy before it comes here. */
export interface IcmpEngine {
  /** Mechanism by which it sends and receives. */
  readonly kind: IcmpKind;
  /** True if the system has raw sockets of the family. */
  supports(family: Family): boolean;
  /** Echo requests. @throws SendError EAFNOSUPPORT where the family is not supported */
  openEcho(options: EchoFlowOptions): Flow;
  /** UDP datagrams of 16 bytes from a port of ours. @throws NodeJS.ErrnoException where there is no route */
  openUdp(options: PortFlowOptions): Promise<Flow>;
  /** TCP SYNs; the kernel resets what the target accepts. @throws NodeJS.ErrnoException where there is no route */
  openTcp(options: PortFlowOptions): Promise<Flow>;
  /** Closes every raw socket; a flow that is open keeps only its local port, until its own `close`. May be called twice. */
  close(): void;
}
