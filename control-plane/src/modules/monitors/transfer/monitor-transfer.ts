import type { Sealer } from '../../../crypto/sealing.js';
import type { JsonText } from '../../../http/json-text.js';
import type { Account } from '../../../http/route.js';
import type { Owner } from '../../../owners/index.js';
import type { MonitorFilter } from '../definition/store.js';
import type { MonitorExport } from './exporting/export-schema.js';
import { exportMonitors, exportText } from './exporting/exporting.js';
import { Importing, type ImportingOptions } from './importing/importing.js';
import { LoopTurns } from './turns/loop-turns.js';

/** Exports and imports monitors. */
export class MonitorTransfer {
  readonly importing: Importing;

  /** Turns of all imports and exports together. */
  readonly #turns: LoopTurns;

  constructor(private readonly options: ImportingOptions & { readonly sealer: Sealer }) {
    this.#turns = new LoopTurns(options.clock);
    this.importing = new Importing(options, this.#turns);
  }

  /** Export of monitors, from which an import creates the same monitors. */
  export({ owner }: Account, filter: MonitorFilter): Promise<MonitorExport> {
    return this.exportOf(owner, filter);
  }

  /** As `export`, of an owner. */
  exportOf(owner: Owner, filter: MonitorFilter = {}): Promise<MonitorExport> {
    return exportMonitors({ ...this.options, turns: this.#turns }, owner, filter);
  }

  /** Export as JSON, written in parts. @throws ApiError VALIDATION_FAILED if it is too large for one response */
  exportText(account: Account, filter: MonitorFilter): Promise<JsonText> {
    return exportText({ ...this.options, turns: this.#turns }, account.owner, filter);
  }
}
