import { until } from '@vantage/shared/_support/until.js';
import { systemClock } from '@vantage/shared/clock.js';
import { type AgentFrame, encodeResult } from '@vantage/shared/protocol/codec.js';
import t from 'tap';
import { openSpool } from '../spool/_support/spool-fixture.js';
import { LaneSender } from './lane-sender.js';

const ROWS = 3000;

t.test('rows of checks that come while others are sent are waited for, not given up', async (t) => {
  const spool = await openSpool(t);
  const frames: AgentFrame[] = [];
  const send = async (frame: AgentFrame) => {
    frames.push(frame);
    const { first = 0, results = [] } = frame.results ?? {};
    const mark = frame.dropped?.last ?? (first ?? 0) + (results?.length ?? 0) - 1;
    setImmediate(() => sender.acknowledged(mark ?? 0, false));
  };
  const onReadFailed = (error: unknown) => t.fail(String(error));
  const parts = { lane: 'check' as const, spool, clock: systemClock, roundTripMs: 1, send, onReadFailed };
  const sender = new LaneSender(parts, 0, ROWS);
  const payload = encodeResult({ kind: 'check', resultJson: Buffer.from('{}') });
  for (let row = 0; row < ROWS; row += 1) {
    void spool.append('check', payload).durable.then(() => sender.wake());
    if (row % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await until('all is acknowledged', () => spool.state().check.acked === ROWS);
  t.same(
    frames.filter(({ dropped }) => dropped),
    [],
  );
  t.equal(
    frames.reduce((sum, { results }) => sum + (results?.results?.length ?? 0), 0),
    ROWS,
  );
  sender.end();
});
