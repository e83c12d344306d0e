import type { Account } from '../../../http/route.js';
import type { MonitorFilter } from '../store.js';
import type { MonitorExport } from './export-schema.js';
import { exportMonitors } from './exporting.js';
import { Importing, type ImportingOptions } from './importing.js';

/** Carries monitors from one account or service to another. */
export class MonitorTransfer {
  readonly importing: Importing;

  constructor(private readonly options: ImportingOptions) {
    this.importing = new Importing(options);
  }

  /** What an import takes to make the same monitors again. */
  export(account: Account, filter: MonitorFilter): Promise<MonitorExport> {
    return exportMonitors(this.options, account, filter);
  }
}
