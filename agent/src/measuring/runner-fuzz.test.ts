import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { rounds } from '@vantage/shared/_support/rounds.js';
import { probeTypeNames } from '@vantage/shared/probe-types/index.js';
import { agentResultSchema } from '@vantage/shared/probe-types/node-result.js';
import { TargetPolicy } from '@vantage/shared/target-policy/policy.js';
import { compileTest } from '@vantage/shared/validation.js';
import fc from 'fast-check';
import t from 'tap';
import { fakeEngines, tcpSpec } from '../../test/_support/fake-engines.js';
import { aResolver } from '../../test/_support/probe-context.js';
import type { ProbeEngine } from '../probes/engine.js';
import type { Engines } from '../probes/index.js';
import { parseJson } from './parse-json.js';
import { ProbeSchemas } from './probe-schemas.js';
import { ProbeRunner, type RunnerOptions } from './runner.js';

const schemas = new ProbeSchemas();
const isOfType = new Map<string, (value: unknown) => boolean>(
  probeTypeNames.map((type) => [type, compileTest(agentResultSchema(type))]),
);

function makeRunner(own: Partial<Engines> = {}, slots: RunnerOptions['slots'] = {}) {
  const clock = new FakeClock();
  const policy = new TargetPolicy({ allow: ['192.0.2.0/24'], own: [], denied: [] });
  const runner = new ProbeRunner({
    engines: fakeEngines(own),
    resolver: aResolver([]),
    icmp: null,
    policy: { current: () => policy },
    clock,
    userAgent: 'vantage-agent/test',
    schemas,
    slots,
  });
  return { runner, clock };
}

const anyText = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.json());
const type = fc.oneof({ weight: 9, arbitrary: fc.constantFrom<string>(...probeTypeNames) }, anyText);
const target = fc.oneof(
  anyText,
  fc.webUrl(),
  fc.domain(),
  fc.ipV4(),
  fc.ipV6(),
  fc.constantFrom('192.0.2.1', '192.0.2.1:80', 'http://192.0.2.1/', '192.0.2.1:0', '[::1]', '__proto__', '\0'),
);
const paramNames = [
  'timeout_ms',
  'count',
  'port',
  'ip_version',
  'server',
  'headers',
  'method',
  '__proto__',
  'constructor',
];
const params = fc.dictionary(fc.oneof(fc.constantFrom(...paramNames), fc.string()), fc.jsonValue());
const spec = fc.oneof(
  fc.record({ target, params }, { requiredKeys: [] }),
  fc.record({ target, params: fc.constant({}) }),
  fc.jsonValue(),
);
const hostileText = fc.constantFrom(
  `${'['.repeat(30_000)}${']'.repeat(30_000)}`,
  `{"target":"192.0.2.1","params":${'{"a":'.repeat(9000)}1${'}'.repeat(9000)}}`,
  `{"target":"${'a.'.repeat(30_000)}","params":{}}`,
  '{"target":"192.0.2.1","params":{"__proto__":{"count":1}},"__proto__":{"x":1}}',
  '{"target":"192.0.2.1","params":{"count":1e999,"timeout_ms":-0,"interval_ms":1e-320}}',
  '{"target":"192.0.2.1","target":"10.0.0.1","params":null}',
  '\ud800',
);
const specText = fc.oneof(
  { weight: 6, arbitrary: spec.map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: anyText },
  { weight: 1, arbitrary: hostileText },
);

t.test('every request gets exactly one answer, complete and of its type', async () => {
  const { runner } = makeRunner();
  await fc.assert(
    fc.asyncProperty(type, specText, fc.integer({ min: 1, max: 600_000 }), async (name, text, deadlineMs) => {
      const result = await runner.run({ id: 'pt_1', type: name, spec: parseJson(text), deadlineMs });
      if (typeof result.success !== 'boolean' || result.success !== (result.error === null)) return false;
      return isOfType.get(name)?.(JSON.parse(JSON.stringify(result))) ?? result.error?.code === 'not_supported';
    }),
    { numRuns: rounds(500) },
  );
});

/** Ends after so many milliseconds on the clock, or on abort; or never does, or throws, as its target says. */
function byTarget(clock: () => FakeClock): ProbeEngine<'tcp'> {
  const content = fakeEngines().tcp;
  return {
    load: { units: ({ params: { count } }) => count, maxConcurrent: 3 },
    run: (asked, context) => {
      const [, kind] = /^(\w+)\./.exec(asked.target) ?? [];
      if (kind === 'broken') return Promise.reject(new Error('broken'));
      if (kind === 'deaf') return new Promise(() => undefined);
      return new Promise((resolve, reject) => {
        const cancel = clock().after(asked.params.timeout_ms / 4, () => resolve(content.run(asked, context)));
        context.signal.addEventListener('abort', () => {
          cancel();
          reject(context.signal.reason);
        });
      });
    },
  };
}

const request = fc.record({
  kind: fc.constantFrom('fine', 'fine', 'fine', 'broken', 'deaf'),
  caller: fc.constantFrom('', 'a', 'b'),
  count: fc.integer({ min: 1, max: 10 }),
  deadlineMs: fc.integer({ min: 1, max: 30_000 }),
  afterMs: fc.integer({ min: 0, max: 400 }),
  cancelled: fc.boolean(),
});
const settle = () => new Promise((resolve) => setImmediate(resolve));

t.test('under any load and any cancelling every request is answered once, in time', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(request, { maxLength: 40, size: 'max' }), async (requests) => {
      let clock: FakeClock | null = null;
      const engine = byTarget(() => clock as FakeClock);
      const made = makeRunner({ tcp: engine }, { capacityUnits: 12, maxWaiting: 6 });
      clock = made.clock;
      const answers = requests.map(() => 0);
      const late: number[] = [];
      for (const [i, { kind, caller, count, deadlineMs, afterMs, cancelled }] of requests.entries()) {
        const askedMs = clock.monotonicMs();
        const asked = { ...tcpSpec(`${kind}.example.com:80`), params: { timeout_ms: 1000, count } };
        void made.runner.run({ id: `pt_${i}`, type: 'tcp', spec: asked, deadlineMs, caller }).then(() => {
          answers[i] = (answers[i] ?? 0) + 1;
          // a second of grace for an engine that ignores its abort
          if (made.clock.monotonicMs() - askedMs > deadlineMs + 1000 + STEP_MS) late.push(i);
        });
        if (cancelled) made.runner.cancel(`pt_${i - 3}`);
        await settle();
        await step(clock, afterMs);
      }
      await step(clock, 32_000);
      return answers.every((count) => count === 1) && late.length === 0;
    }),
    { numRuns: 20 },
  );
});

const STEP_MS = 200;

async function step(clock: FakeClock, ms: number): Promise<void> {
  for (let leftMs = ms; leftMs > 0; leftMs -= STEP_MS) {
    clock.advance(Math.min(STEP_MS, leftMs));
    await settle();
  }
  await settle();
}
