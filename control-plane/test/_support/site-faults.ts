import type { BreakableSite } from './breakable-site.js';
import type { SiteCertificates } from './site-certificates.js';

export type EventType = 'down' | 'degraded';

/** A monitor, how its target breaks and is repaired, and the events that follow. */
export interface Fault {
  readonly name: string;
  readonly body: object;
  readonly event: EventType;
  readonly reason: RegExp;
  breakIt(): unknown;
  mend(): unknown;
}

/** Settings of monitors whose healthy targets stay up on a machine where everything takes long now and then. */
export const patient = { timeout_ms: 30_000 };

/** One fault for every kind of target; far from the effects of a busy machine on healthy targets. */
export function faultsOf(site: BreakableSite, certificates: SiteCertificates): Fault[] {
  const slow = { type: 'response_time', op: 'lt', value: 12_000, severity: 'degraded' };
  return [
    {
      name: 'Shop',
      body: { type: 'http', target: site.page('/shop'), config: patient },
      event: 'down',
      reason: /the status .*503/,
      breakIt: () => site.set('/shop', { status: 503 }),
      mend: () => site.set('/shop'),
    },
    {
      name: 'Slow',
      // a check ends before the next one is due
      body: { type: 'http', target: site.page('/slow'), config: patient, assertions: [slow], interval_s: 30 },
      event: 'degraded',
      reason: /response_time/,
      breakIt: () => site.set('/slow', { afterMs: 15_000 }),
      mend: () => site.set('/slow'),
    },
    {
      name: 'Stock',
      body: { type: 'keyword', target: site.page('/stock'), config: { keyword: 'in stock', ...patient } },
      event: 'down',
      reason: /keyword/,
      breakIt: () => site.set('/stock', { body: 'sold out' }),
      mend: () => site.set('/stock'),
    },
    {
      name: 'Secure',
      body: { type: 'https', target: site.secureUrl, config: patient },
      event: 'down',
      reason: /tls_expired/,
      breakIt: () => site.show(certificates.expired),
      mend: () => site.show(certificates.good),
    },
    {
      name: 'Gate',
      body: { type: 'tcp', target: site.gate, config: patient },
      event: 'down',
      reason: /tcp_refused/,
      breakIt: () => site.closeGate(),
      mend: () => site.openGate(),
    },
    {
      name: 'Name',
      body: {
        type: 'dns',
        target: 'shop.example',
        config: { record_type: 'A', server: '127.0.0.1', expected: ['192.0.2.10'], ...patient },
      },
      event: 'down',
      reason: /192\.0\.2\.66/,
      breakIt: () => site.name('192.0.2.66'),
      mend: () => site.name('192.0.2.10'),
    },
    {
      name: 'Machine',
      body: { type: 'ping', target: '127.0.0.1', config: { count: 2, timeout_ms: 3_000 } },
      event: 'down',
      reason: /no_reply/,
      breakIt: () => site.echo(false),
      mend: () => site.echo(true),
    },
  ];
}
