import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { Sealer } from '../../../../crypto/sealing.js';
import { fieldError } from '../../../../http/errors.js';
import { JsonText } from '../../../../http/json-text.js';
import type { Owner } from '../../../../owners/index.js';
import { shownSettings } from '../../definition/sealed-secrets.js';
import type { MonitorFilter } from '../../definition/store.js';
import type { LoopTurns } from '../turns/loop-turns.js';
import { EXPORT_KIND, EXPORT_VERSION } from './export-kind.js';
import type { ExportMonitor, MonitorExport } from './export-schema.js';
import { listForExport } from './export-store.js';
import { exportView } from './export-view.js';

/** Number of rows read at once: ten thousand in one query would delay all other requests. */
const READ_AT_ONCE = 100;

/** Greatest size of a response, in bytes. Imports take files of 5 MiB; texts of the runtime have a limit far above. */
const MOST_BYTES = 64 * 1024 * 1024;

interface ExportOptions {
  readonly db: Knex;
  readonly clock: Clock;
  readonly turns: LoopTurns;
  readonly sealer: Sealer;
}

/** All monitors of an owner that match a filter, sorted by name so that two exports can be compared. */
export async function exportMonitors(
  options: ExportOptions,
  owner: Owner,
  filter: MonitorFilter,
): Promise<MonitorExport> {
  const monitors: ExportMonitor[] = [];
  for await (const monitor of exported(options, owner, filter)) monitors.push(monitor);
  return { ...headOf(options), count: monitors.length, monitors };
}

/**
 * Export as JSON, written one monitor at a time: the settings of thousands are too much for one turn of the event loop.
 * @throws ApiError VALIDATION_FAILED if it is too large for one response
 */
export async function exportText(options: ExportOptions, owner: Owner, filter: MonitorFilter): Promise<JsonText> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const monitor of exported(options, owner, filter)) {
    const piece = Buffer.from(`${pieces.length === 0 ? '' : ','}${JSON.stringify(monitor)}`);
    bytes += piece.length;
    if (bytes > MOST_BYTES)
      throw fieldError('query', 'length', `must select fewer monitors: an export has at most ${MOST_BYTES} bytes`);
    pieces.push(piece);
  }
  const head = JSON.stringify({ ...headOf(options), count: pieces.length });
  return new JsonText([Buffer.from(`${head.slice(0, -1)},"monitors":[`), ...pieces, Buffer.from(']}')]);
}

function headOf({ clock }: ExportOptions) {
  return { kind: EXPORT_KIND, version: EXPORT_VERSION, exported_at: new Date(clock.now()).toISOString() } as const;
}

async function* exported({ db, turns, sealer }: ExportOptions, owner: Owner, filter: MonitorFilter) {
  let after = '';
  for (let isMore = true; isMore; ) {
    const rows = await listForExport(db, { owner, filter, after, limit: READ_AT_ONCE });
    for (const row of rows) {
      yield exportView({ ...row, config: shownSettings(row, sealer) });
      await turns.pass();
    }
    after = rows.at(-1)?.name ?? after;
    isMore = rows.length === READ_AT_ONCE;
  }
}
