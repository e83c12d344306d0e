/** Types for the parts of the npm package raw-socket 1.8 that this project uses; the package ships none. */
declare module 'raw-socket' {
  import type { EventEmitter } from 'node:events';

  export const AddressFamily: { readonly IPv4: 1; readonly IPv6: 2 };
  export const Protocol: { readonly ICMP: 1; readonly TCP: 6; readonly UDP: 17; readonly ICMPv6: 58 };
  export const SocketLevel: { readonly SOL_SOCKET: number; readonly IPPROTO_IP: number; readonly IPPROTO_IPV6: number };
  export const SocketOption: {
    readonly SO_RCVBUF: number;
    readonly IP_HDRINCL: number;
    readonly IP_TTL: number;
    readonly IPV6_UNICAST_HOPS: number;
  };

  export interface SocketOptions {
    readonly addressFamily: number;
    readonly protocol: number;
    /** Longest packet that is received whole, in bytes. */
    readonly bufferSize?: number;
  }

  /**
   * Emits `message(bytes, source)`; `bytes` is a view of ONE buffer that the next packet overwrites. What a listener
   * throws comes back as an `error` event. A socket without references is closed by the garbage collector, listeners or
   * not.
   */
  export interface Socket extends EventEmitter {
    /**
     * Queues; `before` runs right before the system call, and what it throws calls the packet off. Errors of the system
     * carry no code, only the text of strerror(3).
     */
    send(
      bytes: Uint8Array,
      offset: number,
      length: number,
      address: string,
      before: () => void,
      after: (error: Error | null, bytes: number) => void,
    ): this;
    setOption(level: number, option: number, value: number): void;
    setOption(level: number, option: number, value: Uint8Array, length: number): void;
    getOption(level: number, option: number, value: Uint8Array, length: number): number;
    pauseRecv(): this;
    close(): this;
  }

  /** Throws where the system refuses the socket. */
  export function createSocket(options: SocketOptions): Socket;
}
