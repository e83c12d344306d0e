import { decodeAgentFrame, encodeAgentFrame } from '@vantage/shared/protocol/codec.js';
import t from 'tap';
import { emptyAgentSpool, parseAgentSpool } from './agent-spool.js';

function heard(fields: object) {
  const { heartbeat } = decodeAgentFrame(encodeAgentFrame({ heartbeat: { sequence: 1, ...fields } }));
  if (heartbeat === null) throw new Error('no heartbeat');
  return parseAgentSpool(heartbeat);
}

t.test('an agent that reports nothing about its spool has an empty one', async (t) => {
  t.same(heard({}), emptyAgentSpool);
});

t.test('a report about a spool is read as numbers of rows and one printable line', async (t) => {
  t.same(heard({ spoolRows: 2, spoolBytes: 30, spoolOldestMs: 1.5, spoolDropped: 4, spoolProblem: 'disk is full' }), {
    rows: 2,
    bytes: 30,
    oldestMs: 1.5,
    dropped: 4,
    problem: 'disk is full',
  });
  t.match(heard({ spoolOldestMs: -5 }), { oldestMs: 0 });
  const problem = heard({ spoolProblem: `\u001b[2Jfull\n${'x'.repeat(1000)}` }).problem ?? '';
  t.match(problem, /^ \[2Jfull x+$/);
  t.equal(problem.length, 200);
});
