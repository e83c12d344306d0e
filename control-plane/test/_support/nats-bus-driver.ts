import { createHash } from 'node:crypto';
import { lastingPort } from '@vantage/shared/_support/lasting-port.js';
import { systemClock } from '@vantage/shared/clock.js';
import { pino } from 'pino';
import type { Test } from 'tap';
import type { NatsAddress } from '../../src/bus/bus-address.js';
import { NatsBus } from '../../src/bus/nats-bus.js';
import { parseBusUrl } from '../../src/config/setting-values.js';
import { type BusDriver, type BusSettings, busSecretKey } from './bus-driver.js';
import { NatsServer } from './nats-server.js';

/** Installation that every bus here belongs to unless a test names another. */
const identityKey = Buffer.alloc(32, 1);
/** Prefix of the subjects of an installation. */
export function subjectPrefix(key: Uint8Array = identityKey): string {
  return `vantage.${createHash('sha256').update(key).digest('hex').slice(0, 16)}`;
}

/** A bus at an address in the form of the settings; stopped with the test. */
export function openNatsBus(
  t: Test,
  url: string,
  {
    replicaId = 'rep_a',
    key = identityKey,
    log = pino({ level: 'silent' }),
    ...settings
  }: BusSettings & {
    replicaId?: string;
    key?: Buffer;
  } = {},
): NatsBus {
  const { clock = systemClock, hasOthers = true, isListening = true } = settings;
  const address = parseBusUrl(url) as NatsAddress;
  const bus = new NatsBus({
    address,
    identityKey: key,
    secretKey: busSecretKey,
    replicaId,
    isListening,
    hasOthers: () => hasOthers,
    log,
    clock,
  });
  t.teardown(() => bus.stop());
  return bus;
}

/** Driver of the bus over a server of its own. */
export async function openNatsDriver(t: Test): Promise<BusDriver> {
  const monitoring = await lastingPort();
  const server = await NatsServer.start(t, ['--http_port', String(monitoring)]);
  return {
    open: (replicaId, settings = {}) => openNatsBus(t, `nats://${server.address}`, { ...settings, replicaId }),
    openNowhere: (settings = {}) => openNatsBus(t, 'nats://127.0.0.1:1', settings),
    lose: () => server.stop(),
    restore: () => server.start(),
    channelOf: (replicaId) => `${subjectPrefix()}.${replicaId ?? 'all'}`,
    say: (replicaId, payload) => server.publish(`${subjectPrefix()}.${replicaId ?? 'all'}`, payload),
    connections: async () => {
      const answer = await fetch(`http://127.0.0.1:${monitoring}/connz`).catch(() => null);
      return answer === null ? 0 : ((await answer.json()) as { connections: unknown[] }).connections.length;
    },
  };
}
