import { lanes } from '@vantage/shared/protocol/lanes.js';
import { jsonText, plainText } from '@vantage/shared/terminal/plain-text.js';
import { withProgramCalls } from '@vantage/shared/terminal/program-call.js';
import { type AgentConfig, readEnv } from '../config.js';
import type { ExitName } from '../exit-codes.js';
import type { DroppedRange } from '../spool/dropped-ranges.js';
import { type FaultyRange, type Verification, type VerifiedLane, verifySpool } from '../spool/verify-spool.js';
import { sizeText } from './size-text.js';
import { openStoredSpool } from './stored-spool-file.js';

/** Checks every row of a spool and prints what it found. */
export async function verifySpoolFile(
  config: AgentConfig,
  options: { readonly json: boolean; readonly file?: string },
): Promise<ExitName> {
  const spool = openStoredSpool(config, options.file);
  try {
    const found = verifySpool(spool);
    process.stdout.write(
      options.json
        ? `${jsonText(jsonReport(spool.path, found))}\n`
        : plainText(withProgramCalls(readableReport(spool.path, found), readEnv())),
    );
    return found.isIntact ? 'ok' : 'failed';
  } finally {
    spool.close();
  }
}

function jsonReport(file: string, { isIntact, structure, epoch, head, lanes: found }: Verification): object {
  return { file, is_intact: isIntact, epoch, structure_faults: structure, head_faults: head, lanes: found };
}

function readableReport(file: string, { isIntact, structure, epoch, head, lanes: found }: Verification): string {
  const rows: [string, string][] = [
    ['file', file],
    ['epoch', epoch ?? 'unknown'],
    ['structure', structure.length === 0 ? 'ok' : structure.join('; ')],
    ['head', head.length === 0 ? 'ok' : head.join('; ')],
    ...lanes.flatMap((lane) => laneRows(lane, found[lane])),
    ['verdict', isIntact ? 'intact' : 'DAMAGED: `vantage-agent spool export --file` prints the readable rows'],
  ];
  return `${rows.map(([name, text]) => `${name.padEnd(18)}${text}`).join('\n')}\n`;
}

function laneRows(lane: string, { rows, bytes, acked, last, dropped, faults }: VerifiedLane): [string, string][] {
  return [
    [`lane ${lane}`, `${rows} intact rows, ${sizeText(bytes)}; numbers to ${last}, delivered to ${acked}`],
    ...dropped.map((range): [string, string] => ['  dropped', rangeText(range, range.reason)]),
    ...faults.map((range): [string, string] => ['  FAULT', rangeText(range, range.fault.replaceAll('_', ' '))]),
  ];
}

function rangeText({ first, last }: DroppedRange | FaultyRange, what: string): string {
  return `${first === last ? first : `${first}..${last}`} ${what}`;
}
