import { once } from 'node:events';
import { closeSync, openSync, writeSync } from 'node:fs';
import { textCell } from '@vantage/shared/probe-types/cells.js';
import { type Lane, lanes } from '@vantage/shared/protocol/lanes.js';
import { jsonLine } from '@vantage/shared/terminal/plain-text.js';
import type { AgentConfig } from '../config.js';
import { CommandError, type ExitName } from '../exit-codes.js';
import { type ExportItem, exportRows } from '../spool/export-rows.js';
import { openStoredSpool } from './stored-spool-file.js';

export interface SpoolExportOptions {
  readonly lane?: string;
  readonly json: boolean;
  readonly delivered: boolean;
  /** Output file; default: standard output. */
  readonly output?: string;
  /** Spool file other than that of the state directory. */
  readonly file?: string;
}

/**
 * Prints the waiting rows of the spool while it reads them. Damaged rows are reported on standard error and skipped.
 */
export async function exportSpool(config: AgentConfig, options: SpoolExportOptions): Promise<ExitName> {
  const wanted = parseLanes(options.lane);
  const spool = openStoredSpool(config, options.file);
  try {
    const output = options.output === undefined ? standardOutput() : fileOutput(options.output);
    const unreadable = await writeItems(exportRows(spool, wanted, options.delivered), output.write, options.json);
    output.close();
    return unreadable > 0 ? 'failed' : 'ok';
  } finally {
    spool.close();
  }
}

/** Writes as fast as the reader reads; answers how many rows could not be read. */
async function writeItems(items: Iterable<ExportItem>, write: Output['write'], isJson: boolean): Promise<number> {
  let unreadable = 0;
  for (const item of items) {
    if (item.kind === 'unreadable') {
      unreadable += 1;
      process.stderr.write(`vantage-agent: row ${item.sequence} of lane "${item.lane}" is damaged, skipped\n`);
    } else await write(`${isJson ? jsonLine(valueOf(item)) : textCell(readableLine(item))}\n`);
  }
  return unreadable;
}

type PrintedItem = Exclude<ExportItem, { kind: 'unreadable' }>;

function valueOf(item: PrintedItem): object {
  if (item.kind === 'result') return item.result;
  const { lane, epoch, first, last, reason } = item.gap;
  return { lane, epoch, dropped: { first, last, reason } };
}

function readableLine(item: PrintedItem): string {
  if (item.kind === 'gap') {
    const { lane, first, last, reason } = item.gap;
    return `${lane.padEnd(5)} ${String(first).padStart(8)}  ${last - first + 1} results dropped: ${reason}`;
  }
  const { lane, sequence, finished_at, state, probe_type, task_id } = item.result;
  const words = [state.padEnd(9), finished_at, textCell(probe_type).padEnd(10), String(task_id)];
  return `${lane.padEnd(5)} ${String(sequence).padStart(8)}  ${words.join('  ')}`;
}

function parseLanes(name: string | undefined): readonly Lane[] {
  if (name === undefined) return lanes;
  const wanted = lanes.filter((lane) => lane === name);
  if (wanted.length === 0) throw new CommandError('usage', `no such lane "${name}": use ${lanes.join(' or ')}`);
  return wanted;
}

interface Output {
  write(text: string): void | Promise<void>;
  close(): void;
}

function standardOutput(): Output {
  return {
    write: async (text) => {
      if (!process.stdout.write(text)) await once(process.stdout, 'drain');
    },
    close: () => undefined,
  };
}

/** Results may be confidential: the file is for its owner, and one that is there is not overwritten. */
function fileOutput(path: string): Output {
  const attempt = <T>(step: () => T): T => {
    try {
      return step();
    } catch (cause) {
      throw new CommandError('failed', `cannot write "${path}": ${String(cause)}`, { cause });
    }
  };
  const descriptor = attempt(() => openSync(path, 'wx', 0o600));
  return {
    write: (text) => {
      attempt(() => writeSync(descriptor, text));
    },
    close: () => attempt(() => closeSync(descriptor)),
  };
}
