import type { MonitorHealth } from '@vantage/shared/monitor-state/quorum.js';
import fc from 'fast-check';
import t from 'tap';
import { type EventType } from '../definition/event-type.js';
import { type Effect, type MonitorState, type Observation, transition, unknownMonitor } from './transition.js';

const seen = (health: MonitorHealth, decidedAtMs: number, more: Partial<Observation> = {}): Observation => ({
  judgment: {
    health,
    decidedAtMs: health === 'unknown' ? null : decidedAtMs,
    failingNodes: health === 'down' ? ['n_1', 'n_2'] : [],
    impairedNodes: health === 'down' || health === 'degraded' ? ['n_1', 'n_2', 'n_3'] : [],
  },
  isInMaintenance: false,
  notBeforeMs: 0,
  ...more,
});

/** State and effects of a new monitor after observations, one after the other. */
function follow(...observations: readonly Observation[]) {
  let state = unknownMonitor;
  const effects: Effect[][] = [];
  for (const observation of observations) {
    const next = transition(state, observation);
    state = next.state;
    effects.push([...next.effects]);
  }
  return { state, effects };
}

t.test('an outage is one event, from the check that decided it to the one that ended it', async (t) => {
  const { state, effects } = follow(
    seen('up', 10),
    seen('down', 70),
    seen('down', 70),
    seen('up', 130),
    seen('up', 130),
  );
  t.same(effects, [
    [],
    [{ kind: 'open', type: 'down', startedAtMs: 70, affectedNodes: ['n_1', 'n_2'] }],
    [],
    [{ kind: 'close', endedAtMs: 130 }],
    [],
  ]);
  t.same(state, { health: 'up', event: null, resolved: null });
});

t.test('from down to degraded one event ends and the other begins, at the same moment', async (t) => {
  const { effects } = follow(seen('down', 70), seen('degraded', 90));
  t.same(effects[1], [
    { kind: 'close', endedAtMs: 90 },
    { kind: 'open', type: 'degraded', startedAtMs: 90, affectedNodes: ['n_1', 'n_2', 'n_3'] },
  ]);
});

t.test('while the state is unknown an open event stays open', async (t) => {
  const { state, effects } = follow(seen('down', 70), seen('unknown', 0), seen('down', 70), seen('unknown', 0));
  t.same(effects.slice(1), [[], [], []]);
  t.same(state, { health: 'unknown', event: { type: 'down', startedAtMs: 70, notifiedType: 'down' }, resolved: null });
});

t.test('in maintenance no event opens; an open event continues, and ends with its outage', async (t) => {
  const inside = { isInMaintenance: true };
  const held = follow(seen('down', 70), seen('down', 70, inside), seen('up', 90, inside));
  t.same(held.effects.slice(1), [[], [{ kind: 'close', endedAtMs: 90 }]]);
  const still = follow(seen('up', 10), seen('down', 70, inside), seen('down', 70, { notBeforeMs: 120 }));
  t.same(still.effects, [[], [], [{ kind: 'open', type: 'down', startedAtMs: 120, affectedNodes: ['n_1', 'n_2'] }]]);
});

t.test('in maintenance an open event changes in place, and no one is notified before the window ends', async (t) => {
  const inside = { isInMaintenance: true };
  const over = { notBeforeMs: 120 };
  const change = (type: EventType, atMs: number) => ({ kind: 'change', type, atMs });
  const worse = follow(seen('degraded', 70), seen('down', 90, inside), seen('down', 90, over), seen('down', 90, over));
  t.match(worse.effects.slice(1), [[change('down', 90)], [{ kind: 'notify', type: 'down' }], []]);
  t.same(worse.state.event, { type: 'down', startedAtMs: 70, notifiedType: 'down' });
  const better = follow(seen('down', 70), seen('degraded', 90, inside), seen('up', 100, inside));
  t.match(better.effects.slice(1), [[change('degraded', 90)], [{ kind: 'close', endedAtMs: 100 }]]);
  const back = follow(seen('down', 70), seen('degraded', 90, inside), seen('down', 95, inside), seen('down', 95, over));
  t.match(back.effects.slice(1), [[change('degraded', 90)], [change('down', 95)], []], 'where both ends are the same');
});

t.test('after a manual resolution no event opens until the monitor was up, except a worse one', async (t) => {
  const after = (resolved: EventType, ...seenAs: readonly MonitorHealth[]) => {
    const event = { type: resolved, startedAtMs: 50, notifiedType: resolved };
    let state: MonitorState = { health: resolved, event, resolved };
    return seenAs.map((health, index) => {
      const next = transition(state, seen(health, 100 + index));
      state = next.state;
      return next.effects.map(({ kind }) => kind).join();
    });
  };
  t.same(after('down', 'down', 'unknown', 'degraded', 'down', 'up', 'down'), [
    '',
    '',
    'change',
    'change',
    'close',
    'open',
  ]);
  t.same(after('degraded', 'degraded', 'down', 'degraded'), ['', 'close,open', 'close,open']);
  t.same(after('degraded', 'degraded', 'up', 'degraded'), ['', 'close', 'open']);
  const held: MonitorState = {
    health: 'down',
    event: { type: 'down', startedAtMs: 50, notifiedType: 'degraded' },
    resolved: 'degraded',
  };
  t.match(
    transition(held, seen('down', 60, { notBeforeMs: 90 })).effects,
    [
      { kind: 'close', endedAtMs: 60 },
      { kind: 'open', type: 'down', startedAtMs: 90 },
    ],
    'what became worse within a window begins with its end',
  );
});

t.test('events always follow each other: one open at most, none that ends before it starts', async (t) => {
  const observations = fc.array(
    fc
      .record({
        health: fc.constantFrom<MonitorHealth>('up', 'down', 'degraded', 'unknown'),
        decidedAtMs: fc.nat(1_000),
        isInMaintenance: fc.boolean(),
        notBeforeMs: fc.nat(1_000),
      })
      .map(({ health, decidedAtMs, ...more }) => seen(health, decidedAtMs, more)),
    { maxLength: 40 },
  );
  fc.assert(
    fc.property(observations, (all) => {
      let [open, opened]: [boolean, number] = [false, 0];
      let state = unknownMonitor;
      for (const observation of all) {
        const next = transition(state, observation);
        for (const effect of next.effects) {
          if (effect.kind === 'change' || effect.kind === 'notify') {
            t.ok(open);
            continue;
          }
          t.equal(effect.kind === 'close', open, 'they alternate');
          open = effect.kind === 'open';
          const atMs = effect.kind === 'open' ? effect.startedAtMs : effect.endedAtMs;
          t.ok(effect.kind === 'open' || atMs >= opened);
          opened = atMs;
          t.notOk(effect.kind === 'open' && observation.isInMaintenance);
        }
        state = next.state;
        t.equal(state.event !== null, open);
        t.same(transition(state, observation), { state, effects: [] }, 'the same again changes nothing');
      }
    }),
  );
});
