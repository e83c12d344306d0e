import type { ProbeSpecs, ProbeType } from '@vantage/shared/probe-types/index.js';
import { serviceAddresses } from '../../lab/topology.js';

/** A probe as the lab's prober takes it. */
export interface MemoryTarget<T extends ProbeType> {
  readonly target: string;
  readonly params?: Partial<ProbeSpecs[T]['params']>;
  /** True for a target that always fails: memory that failures leave behind is measured too. */
  readonly fails?: true;
}

type MemoryTargets = { readonly [T in ProbeType]: readonly [MemoryTarget<T>, ...MemoryTarget<T>[]] };

/** Server of this comparison's speed tests. */
export const SPEEDTEST_SERVER = `${serviceAddresses('web').v4}:8089`;

const SILENT = '25.80.11.1';
const web = serviceAddresses('web');
const { v4: mail } = serviceAddresses('mail');
const { v4: time } = serviceAddresses('time');
const { v4: zone } = serviceAddresses('zone');

/** Targets of each type, used in turn; the fastest for each path through its engine. */
export const memoryTargets: MemoryTargets = {
  http: [
    { target: 'http://www.lab.test/' },
    { target: 'https://www.lab.test/', params: { http_version: '1.1' } },
    { target: 'https://www.lab.test/', params: { http_version: '2' } },
    { target: `http://${web.v4}:8088/`, fails: true },
  ],
  ping: [
    { target: web.v4, params: { count: 1 } },
    { target: web.v6, params: { count: 1 } },
    { target: web.v4, params: { count: 1, protocol: 'tcp', port: 80 } },
    { target: SILENT, params: { count: 1, timeout_ms: 100 }, fails: true },
  ],
  dns: [
    { target: 'www.lab.test' },
    { target: 'www.lab.test', params: { server: zone, transport: 'tcp' } },
    { target: 'www.lab.test', params: { server: zone, dnssec: true } },
    { target: 'www.lab.test', params: { server: SILENT, timeout_ms: 1000 }, fails: true },
  ],
  tcp: [
    { target: 'www.lab.test:80', params: { count: 1 } },
    { target: `${web.v4}:8088`, params: { count: 1 }, fails: true },
    { target: `${SILENT}:80`, params: { count: 1, timeout_ms: 100 }, fails: true },
  ],
  traceroute: [
    { target: web.v4, params: { queries: 1, timeout_ms: 1000 } },
    { target: web.v6, params: { queries: 1, timeout_ms: 1000 } },
    { target: web.v4, params: { queries: 1, timeout_ms: 1000, protocol: 'udp' } },
  ],
  mtr: [
    { target: web.v4, params: { cycles: 1, interval_ms: 200, timeout_ms: 1000 } },
    { target: web.v6, params: { cycles: 1, interval_ms: 200, timeout_ms: 1000 } },
  ],
  smtp: [
    { target: mail },
    { target: mail, params: { starttls: 'never' } },
    { target: mail, params: { port: 2525 }, fails: true },
  ],
  ntp: [
    { target: time, params: { count: 1 } },
    { target: SILENT, params: { count: 1, timeout_ms: 100 }, fails: true },
  ],
  ssl: [{ target: 'www.lab.test' }, { target: `${web.v4}:8088`, fails: true }],
  speedtest: [
    { target: `http://${SPEEDTEST_SERVER}/speedtest`, params: { bytes: 100_000, duration_ms: 1000 } },
    { target: `http://${web.v4}:8088/speedtest`, fails: true },
  ],
};
