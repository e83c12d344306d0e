import type { UnitsOfMachine } from './units-of-machine.js';

const PATIENCE_MS = 60_000;

/** Results of monitors that the installed agent of a machine holds, as its command shows them. */
export class SpoolOfMachine {
  constructor(private readonly units: UnitsOfMachine) {}

  /** Slots of the results that wait, in order of their numbers, as soon as they are so many. @throws Error after a minute */
  waiting(count: number): Promise<number[]> {
    return this.#slots((slots) => slots.length >= count);
  }

  /** Waits until all are delivered. @throws Error after a minute */
  async empty(): Promise<void> {
    await this.#slots((slots) => slots.length === 0);
  }

  async #slots(isEnough: (slots: number[]) => boolean): Promise<number[]> {
    const end = performance.now() + PATIENCE_MS;
    for (;;) {
      const lines = (await this.units.run('vantage-agent spool export --json'))
        .split('\n')
        .filter((line) => line !== '');
      const slots = lines.map((line) => (JSON.parse(line) as { result: { slot_ms: number } }).result.slot_ms);
      if (isEnough(slots)) return slots;
      if (performance.now() > end) throw new Error(`results of these slots wait: ${slots.join(', ')}`);
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}
