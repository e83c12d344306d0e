import type { CleanRoot } from './clean-root.js';

const PATIENCE_MS = 60_000;

/** The systemd of a booted machine, and commands of its root. */
export class UnitsOfMachine {
  constructor(private readonly machine: CleanRoot) {}

  /** Output of a command of the shell. @throws Error with the end of the units' log if it fails */
  async run(command: string, input = ''): Promise<string> {
    const { code, stdout, stderr } = await this.machine.run(['sh', '-c', command], input);
    if (code === 0) return stdout;
    throw new Error(`${command}: ${code}\n${stdout}${stderr}${await this.log('vantage-*', 20)}`);
  }

  /** Last lines that a unit and systemd wrote about it. */
  async log(unit: string, lines = 200): Promise<string> {
    const { stdout } = await this.machine.run(['journalctl', `--lines=${lines}`, '--output=cat', `--unit=${unit}`]);
    return stdout;
  }

  /** Property of a unit, as `systemctl show` prints it. */
  async property(unit: string, name: string): Promise<string> {
    return (await this.run(`systemctl show --value --property ${name} ${unit}`)).trim();
  }

  /** Sends a signal to the main process of a service, and waits until systemd has started another one. */
  async loseMainProcess(unit: string, signal: 'STOP' | 'KILL'): Promise<void> {
    const lost = await this.property(unit, 'MainPID');
    await this.run(`systemctl kill --kill-who=main --signal=${signal} ${unit}`);
    const end = performance.now() + PATIENCE_MS;
    for (;;) {
      const shown = await this.run(`systemctl show --property MainPID,ActiveState ${unit}`);
      if (!shown.includes(`MainPID=${lost}\n`) && shown.includes('ActiveState=active\n')) return;
      if (performance.now() > end) throw new Error(`${unit}: ${shown}`);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}
