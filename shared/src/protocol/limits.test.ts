import t from 'tap';
import { encodeAgentFrame, encodeResult } from './codec.js';
import {
  EPOCH_BYTES,
  LINK_SUBPROTOCOL,
  MAX_BATCH_ROWS,
  MAX_FRAME_BYTES,
  MAX_RESULT_BYTES,
  PROTOCOL_VERSIONS,
} from './limits.js';

t.test('a result of the largest size fits a frame with room for its batch', async (t) => {
  const result = {
    taskId: 'pt_'.padEnd(25, '1'),
    resultJson: Buffer.alloc(MAX_RESULT_BYTES),
    finishedAtMs: 1.5e12,
    clockOffsetMs: 1,
    uncertaintyMs: 1,
  };
  const frame = encodeAgentFrame({
    results: { epoch: Buffer.alloc(EPOCH_BYTES), lane: 1, first: Number.MAX_SAFE_INTEGER, results: [result] },
  });
  t.ok(encodeResult(result).length < frame.length);
  t.ok(frame.length < MAX_FRAME_BYTES);
});

t.test('a full batch of small results fits a frame', async (t) => {
  const results = Array.from({ length: MAX_BATCH_ROWS }, () => ({
    taskId: 'pt_'.padEnd(25, '1'),
    resultJson: Buffer.alloc(900),
    finishedAtMs: 1.5e12,
  }));
  t.ok(
    encodeAgentFrame({ results: { epoch: Buffer.alloc(EPOCH_BYTES), lane: 1, first: 1, results } }).length <
      MAX_FRAME_BYTES,
  );
});

t.test('the subprotocol names the newest version', async (t) => {
  t.equal(LINK_SUBPROTOCOL, `vantage.v${Math.max(...PROTOCOL_VERSIONS)}`);
  t.same(
    PROTOCOL_VERSIONS,
    [...PROTOCOL_VERSIONS].sort((a, b) => b - a),
    'newest first',
  );
});
