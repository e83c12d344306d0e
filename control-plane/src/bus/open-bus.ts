import type { Bus, BusOptions } from './bus.js';
import type { BusAddress } from './bus-address.js';
import { NatsBus } from './nats-bus.js';
import { PostgresBus } from './postgres-bus.js';

interface OpenBusOptions extends BusOptions {
  readonly address: BusAddress;
  readonly databaseUrl: string;
  /** The installation's public key. */
  readonly identityKey: Uint8Array;
}

/** The bus of the configuration; not started. */
export function openBus({ address, databaseUrl, identityKey, ...options }: OpenBusOptions): Bus {
  if (address.kind === 'postgres') return new PostgresBus({ ...options, url: databaseUrl });
  return new NatsBus({ ...options, address, identityKey });
}
