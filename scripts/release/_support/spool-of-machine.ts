import type { UnitsOfMachine } from './units-of-machine.js';

const PATIENCE_MS = 60_000;

/** Report of a check; one of slots that were missed has no `slot_ms`. */
interface Report {
  readonly slot_ms?: number;
}

/** Results of monitors that the installed agent of a machine holds, as its command shows them. */
export class SpoolOfMachine {
  constructor(private readonly units: UnitsOfMachine) {}

  /** Slots of the checks that wait, in order of their numbers, as soon as they are so many. @throws Error after a minute */
  async waiting(count: number): Promise<number[]> {
    const isCheck = ({ slot_ms }: Report) => slot_ms !== undefined;
    const reports = await this.#reports((all) => all.filter(isCheck).length >= count);
    return reports.flatMap(({ slot_ms }) => slot_ms ?? []);
  }

  /** Waits until all are delivered. @throws Error after a minute */
  async empty(): Promise<void> {
    await this.#reports((all) => all.length === 0);
  }

  async #reports(isEnough: (reports: Report[]) => boolean): Promise<Report[]> {
    const end = performance.now() + PATIENCE_MS;
    for (;;) {
      const output = await this.units.run('vantage-agent spool export --json');
      const lines = output.split('\n').filter((line) => line !== '');
      const reports = lines.map((line) => (JSON.parse(line) as { result: Report }).result);
      if (isEnough(reports)) return reports;
      if (performance.now() > end) throw new Error(`these wait: ${output}`);
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}
