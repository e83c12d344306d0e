import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { untilRight } from '@vantage/shared/_support/attempts.js';
import { missing } from '@vantage/shared/_support/missing.js';
import { detailedMembers } from '@vantage/shared/probe-types/detail-lines.js';
import { definitionOf, type ProbeType, probeTypeNames } from '@vantage/shared/probe-types/index.js';
import { agentResultSchema } from '@vantage/shared/probe-types/node-result.js';
import { compileSchema } from '@vantage/shared/validation.js';
import t from 'tap';
import { trialOf } from './_support/probe-trial.js';

const run = promisify(execFile);
const script = fileURLToPath(new URL('./_support/print-probes.js', import.meta.url));

/** Fields that the first line of a report says. */
const commonFields = new Set(['success', 'error', 'started_at', 'duration_ms', 'disturbed', 'loop_lag_ms']);

/** Members of a result that have something to say and no one says. */
function unreported(type: ProbeType, result: object, report: string): string[] {
  const details = detailedMembers(type);
  const isEmpty = (value: unknown) => value === null || (Array.isArray(value) && value.length === 0);
  return Object.entries(result)
    .filter(([name, value]) => !commonFields.has(name) && !details.has(name) && !isEmpty(value))
    .map(([name]) => name.replace(/_(ms|pct)$/, '').replaceAll('_', ' '))
    .filter((label) => !new RegExp(`^ +${label}`, 'm').test(report));
}

t.test('probe shows a result of every type to people, and as JSON', async (t) => {
  const types = probeTypeNames.filter((type) => definitionOf(type).capability === null || !missing('raw sockets'));
  const asked = await Promise.all(types.map(async (type) => ({ type, ...(await (await trialOf(type)).report(t)) })));
  const list = asked.map(({ type, target, params = [] }) => [type, target, params]);
  const print = async () => (await run(process.execPath, [script, JSON.stringify(list)])).stdout.split('\f');
  // a machine that stands still makes a probe end by its timeout
  const printed = await untilRight(print, (outputs) =>
    asked.every((_, index) => JSON.parse(outputs[2 * index + 1] ?? 'null')?.success === true),
  );
  for (const [index, { type, target, lines }] of asked.entries()) {
    const [report = '', json = ''] = printed.slice(2 * index);
    const result: { success?: boolean } = JSON.parse(json);
    t.match(compileSchema(agentResultSchema(type))(result), { ok: true }, type);
    t.equal(result.success, true, type);
    // its certificate is that of an authority of its own: grade T
    const judgment = type === 'ssl' ? 'FAILED' : 'OK    ';
    t.ok(report.startsWith(`${judgment}  ${type} ${target} (`), report);
    const rows = report.split('\n');
    for (const line of lines) {
      const at = rows.findIndex((row) => line.test(row));
      t.ok(at >= 0, `${type} has a line ${line}: ${report}`);
      rows.splice(0, at + 1);
    }
    t.notMatch(report, /\[object|undefined|NaN/, type);
    t.strictSame(unreported(type, result, report), [], `${type} tells all it found`);
  }
});
