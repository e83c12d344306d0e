// A measuring child with engines that misbehave by target, for tests of its parent. Forked by MeasuringProcess.
import { systemClock } from '@vantage/shared/clock.js';
import { serveParent } from '../../src/measuring/child-loop.js';
import { PolicySource } from '../../src/measuring/policy-source.js';
import { ProbeRunner } from '../../src/measuring/runner.js';
import type { ProbeEngine } from '../../src/probes/engine.js';
import { ProbeFailure } from '../../src/probes/failure.js';
import { fakeEngines, succeeding, waitingForAbort } from './fake-engines.js';

const waiting = waitingForAbort<'tcp'>();
const content = succeeding('tcp');

/** What a TCP probe does here: `hang.example` waits, `block.example` never lets go of the thread, others succeed. */
const tcp: ProbeEngine<'tcp'> = {
  run(spec, context) {
    if (spec.target.startsWith('hang.')) return waiting.run(spec, context);
    if (spec.target.startsWith('block.')) for (;;);
    if (spec.target.startsWith('large.'))
      return content.run(spec, context).then((result) => ({ ...result, banner: 'x'.repeat(300_000) }));
    return content.run(spec, context);
  },
};

serveParent(async ({ allow, onEngineFault, onCapabilities }) => {
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
});
