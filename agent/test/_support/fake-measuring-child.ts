// A measuring child with engines that misbehave by target, for tests of its parent. Forked by MeasuringProcess.

import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { systemClock } from '@vantage/shared/clock.js';
import { serveParent } from '../../src/measuring/child-loop.js';
import { PolicySource } from '../../src/measuring/policy-source.js';
import { ProbeRunner } from '../../src/measuring/runner.js';
import type { ProbeEngine } from '../../src/probes/engine.js';
import { ProbeFailure } from '../../src/probes/failure.js';
import { fakeEngines, succeeding, waitingForAbort } from './fake-engines.js';

const waiting = waitingForAbort<'tcp'>();
const content = succeeding('tcp');
/** Clock of the watch over this process's size: it advances only for `minute.example`. */
const growthClock = new FakeClock();
const eaten: Buffer[] = [];

/**
 * Fake TCP engine: `hang.example` waits, `block.example` never releases the thread, `eat.example` keeps 64 MB,
 * `minute.example` lets a minute pass. Others succeed; the banner is the process id.
 */
const tcp: ProbeEngine<'tcp'> = {
  async run(spec, context) {
    if (spec.target.startsWith('hang.')) return waiting.run(spec, context);
    if (spec.target.startsWith('block.')) for (;;);
    if (spec.target.startsWith('eat.')) eaten.push(Buffer.alloc(64 * 2 ** 20, 1));
    if (spec.target.startsWith('minute.')) growthClock.advance(60_000);
    const banner = spec.target.startsWith('large.') ? 'x'.repeat(300_000) : String(process.pid);
    return { ...(await content.run(spec, context)), banner };
  },
};

serveParent(async ({ settings: { allow }, onEngineFault, onCapabilities }) => {
  onCapabilities(['icmp']);
  const policy = new PolicySource({ clock: systemClock, allow, readOwn: () => [] });
  const resolver = {
    servers: [],
    resolve: () => Promise.reject(new ProbeFailure('dns_error', 'no resolver here')),
    reverse: async () => null,
  };
  const runner = new ProbeRunner({
    engines: fakeEngines({ tcp }),
    resolver,
    icmp: null,
    policy,
    clock: systemClock,
    userAgent: 'vantage-agent/test',
    onEngineFault,
  });
  return { runner, setLists: (lists) => policy.setLists(lists) };
}, growthClock);
