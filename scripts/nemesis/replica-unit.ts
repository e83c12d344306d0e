import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Line } from './line.js';
import type { Recorder } from './recorder.js';
import { ALLOWED_TO_ASK } from './targets.js';
import { Unit } from './unit.js';

/** The control plane's program. */
export const controlScript = fileURLToPath(new URL('../../../control-plane/bin/vantage-control.js', import.meta.url));

export interface ReplicaUnitOptions {
  readonly index: number;
  readonly dataDir: string;
  readonly logFile: string;
  readonly port: number;
  readonly environment: Readonly<Record<string, string>>;
  /** Line to PostgreSQL. */
  readonly line: Line;
  readonly recorder: Recorder;
}

/** One `vantage-control serve` of several. */
export class ReplicaUnit {
  readonly name: string;
  readonly unit: Unit;
  readonly line: Line;
  readonly port: number;
  readonly url: string;
  /** Settings that commands next to it need too. */
  readonly environment: Readonly<Record<string, string>>;
  isReady = false;

  constructor({ index, dataDir, logFile, port, environment, line, recorder }: ReplicaUnitOptions) {
    this.name = `replica-${index + 1}`;
    this.line = line;
    this.port = port;
    this.url = `http://127.0.0.1:${port}`;
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    this.environment = {
      ...environment,
      VANTAGE_DATA_DIR: dataDir,
      VANTAGE_LISTEN: `127.0.0.1:${port}`,
      VANTAGE_METRICS_LISTEN: 'off',
      VANTAGE_ALLOW_TARGETS: ALLOWED_TO_ASK,
    };
    this.unit = new Unit({
      name: this.name,
      script: controlScript,
      args: ['serve'],
      environment: this.environment,
      logFile,
      recorder,
      onLine: (line) => {
        if (/"msg":"ready"/.test(line)) this.isReady = true;
      },
      onEnded: () => {
        this.isReady = false;
      },
      mayEnd: (code, lines) => (code === 1 && saysNoDatabase(lines) ? 'restart' : 'no'),
    });
  }
}

/** One that starts while PostgreSQL is away says so and ends; its service manager tries again. */
function saysNoDatabase(lines: readonly string[]): boolean {
  return lines.some((line) => line.startsWith('vantage-control: cannot use the database: '));
}
