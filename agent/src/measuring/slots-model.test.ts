import { rounds } from '@vantage/shared/_support/rounds.js';
import fc from 'fast-check';
import t from 'tap';
import { type Leave, Slots } from './slots.js';

const CAPACITY_UNITS = 8;
const MAX_WAITING = 12;
const maxConcurrent = { plain: Number.POSITIVE_INFINITY, rare: 1, some: 3 } as const;
type Type = keyof typeof maxConcurrent;

interface Probe {
  readonly caller: string;
  readonly type: Type;
  readonly units: number;
  /** Number of probes that had started when it arrived. */
  readonly beganBefore: number;
  state: 'waiting' | 'running' | 'over' | 'refused';
  leave: Leave;
}

/** Slots with a record of everything that happened to those who entered. */
class World {
  readonly probes: Probe[] = [];
  /** Probes in the order in which they started. */
  readonly begun: Probe[] = [];
  isKeepingUp = true;
  readonly slots = new Slots({
    capacityUnits: CAPACITY_UNITS,
    maxWaiting: MAX_WAITING,
    isKeepingUp: () => this.isKeepingUp,
  });

  enter(caller: string, type: Type, units: number): void {
    const beganBefore = this.begun.length;
    const probe: Probe = { caller, type, units, beganBefore, state: 'waiting', leave: () => undefined };
    this.probes.push(probe);
    const begin = () => {
      if (probe.state !== 'waiting') throw new Error(`began while ${probe.state}`);
      if (!this.isKeepingUp && this.in('running').length > 0) throw new Error('began beside another on a late loop');
      probe.state = 'running';
      this.begun.push(probe);
    };
    const refuse = () => {
      if (probe.state !== 'waiting') throw new Error(`refused while ${probe.state}`);
      probe.state = 'refused';
    };
    probe.leave = this.slots.enter({ caller, type, units, maxConcurrent: maxConcurrent[type], begin, refuse });
  }

  in(state: Probe['state']): Probe[] {
    return this.probes.filter((probe) => probe.state === state);
  }

  end(probe: Probe | undefined): void {
    if (probe === undefined) return;
    probe.state = 'over';
    probe.leave();
  }

  check(): void {
    const running = this.in('running');
    const units = running.reduce((sum, probe) => sum + Math.min(probe.units, CAPACITY_UNITS), 0);
    if (units > CAPACITY_UNITS) throw new Error(`${units} units in use`);
    for (const [type, most] of Object.entries(maxConcurrent)) {
      if (running.filter((probe) => probe.type === type).length > most) throw new Error(`too many of ${type}`);
    }
    if (this.slots.waiting !== this.in('waiting').length) throw new Error('lost count of who waits');
    if (this.slots.waiting > MAX_WAITING) throw new Error('too many wait');
    if (running.length === 0 && this.slots.waiting > 0) throw new Error('waits for nothing');
  }
}

const caller = fc.constantFrom('a', 'b', 'c', 'd');
const entering = fc.record({
  kind: fc.constant('enter' as const),
  caller,
  type: fc.constantFrom<Type>('plain', 'rare', 'some'),
  units: fc.constantFrom(0.25, 0.1, 1, 4, 20),
});
const leaving = fc.record({ kind: fc.constantFrom('finish', 'withdraw'), nth: fc.nat(20) });
const pace = fc.record({ kind: fc.constant('pace' as const), isKeepingUp: fc.boolean() });
const steps = fc.array(fc.oneof({ weight: 5, arbitrary: entering }, { weight: 4, arbitrary: leaving }, pace), {
  maxLength: 120,
  size: 'max',
});
type Step = typeof steps extends fc.Arbitrary<(infer S)[]> ? S : never;

function take(world: World, step: Step): void {
  switch (step.kind) {
    case 'enter':
      return world.enter(step.caller, step.type, step.units);
    case 'pace':
      world.isKeepingUp = step.isKeepingUp;
      return world.slots.admit();
    default: {
      const among = world.in(step.kind === 'finish' ? 'running' : 'waiting');
      return world.end(among[step.nth % among.length]);
    }
  }
}

function played(script: readonly Step[]): World {
  const world = new World();
  for (const step of script) {
    take(world, step);
    world.check();
  }
  return world;
}

t.test('never more than the bounds run, wait, or begin on a late loop, whatever comes and goes', async () => {
  fc.assert(
    fc.property(steps, (script) => void played(script)),
    { numRuns: rounds(500) },
  );
});

t.test('every caller that neither withdraws nor is refused starts exactly once', async () => {
  fc.assert(
    fc.property(steps, (script) => {
      const world = played(script);
      while (world.in('running').length > 0) {
        world.end(world.in('running')[0]);
        world.check();
      }
      return world.in('waiting').length === 0 && new Set(world.begun).size === world.begun.length;
    }),
  );
});

t.test('the probes of one caller and type begin in the order they came', async () => {
  fc.assert(
    fc.property(steps, (script) => {
      const { begun, probes } = played(script);
      const lines = new Map<string, number>();
      return begun.every((probe) => {
        const line = `${probe.caller} ${probe.type}`;
        const number = probes.indexOf(probe);
        const isLater = number > (lines.get(line) ?? -1);
        lines.set(line, number);
        return isLater;
      });
    }),
  );
});

/** Number of probes of each other caller that started while this one was the next of its own. */
function overtakers(world: World, probe: Probe): number[] {
  const own = world.begun.filter(({ caller }) => caller === probe.caller);
  const before = own[own.indexOf(probe) - 1];
  const nextSince = Math.max(probe.beganBefore, before === undefined ? 0 : world.begun.indexOf(before) + 1);
  const meanwhile = world.begun.slice(nextSince, world.begun.indexOf(probe));
  return ['a', 'b', 'c', 'd'].map((caller) => meanwhile.filter((other) => other.caller === caller).length);
}

t.test('no caller waits for more than one probe of each other caller', async () => {
  const arrivals = fc.array(fc.oneof(caller, fc.constant('finish')), { maxLength: 200, size: 'max' });
  fc.assert(
    fc.property(arrivals, (script) => {
      const world = new World();
      for (const step of script) {
        if (step === 'finish') world.end(world.in('running')[0]);
        else world.enter(step, 'plain', CAPACITY_UNITS);
      }
      return world.begun.every((probe) => overtakers(world, probe).every((count) => count <= 1));
    }),
  );
});
