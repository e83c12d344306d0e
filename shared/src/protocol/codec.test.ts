import fc from 'fast-check';
import t from 'tap';
import { rounds } from '../_support/rounds.js';
import { BoundedReader } from './bounded-reader.js';
import {
  type AgentFrame,
  CloseReasonCode,
  decodeAgentFrame,
  decodeResult,
  decodeServerFrame,
  encodeAgentFrame,
  encodeResult,
  encodeServerFrame,
  findLaneName,
  LaneCode,
  laneCode,
  laneName,
  lanes,
  MalformedFrameError,
  type ServerFrame,
  UNKNOWN_BODY,
} from './codec.js';
import { MAX_BATCH_ROWS, MAX_FRAME_BYTES, MAX_FRAME_FIELDS } from './limits.js';

const bytes = (fill: number, length = 32) => new Uint8Array(length).fill(fill);

const agentFrames: readonly AgentFrame[] = [
  {
    hello: {
      nodeId: 'n_1',
      agentNonce: bytes(1),
      protocolVersions: [1, 2],
      bootId: 'boot',
      generation: Number.MAX_SAFE_INTEGER,
      agentVersion: '0.1.0',
      capabilities: ['icmp'],
    },
  },
  {
    proof: {
      signature: bytes(2, 64),
      epoch: bytes(3, 16),
      lanes: [
        { lane: LaneCode.LANE_TASK, last: 7, acked: 5 },
        { lane: LaneCode.LANE_CHECK, last: 0, acked: 0 },
      ],
      runningTaskIds: ['pt_1', 'pt_2'],
    },
  },
  {
    results: {
      epoch: bytes(3, 16),
      lane: LaneCode.LANE_TASK,
      first: 6,
      results: [
        {
          taskId: 'pt_1',
          resultJson: Buffer.from('{"success":true}'),
          finishedAtMs: 1.5e12,
          clockOffsetMs: -0.25,
          uncertaintyMs: 0.5,
        },
        {
          taskId: 'pt_2',
          resultJson: Buffer.from('{}'),
          finishedAtMs: 1.5e12 + 0.5,
          clockOffsetMs: 0,
          uncertaintyMs: -1,
        },
      ],
    },
  },
  { dropped: { epoch: bytes(3, 16), lane: LaneCode.LANE_CHECK, first: 1, last: 2 ** 40, reason: 'spool_full' } },
  {
    heartbeat: {
      sequence: 1,
      transmitMs: 1.25,
      originMs: 2.5,
      receiveMs: 3.75,
      isReply: true,
      running: 4,
      spoolRows: 5,
      loopLagMs: 0.125,
      spoolBytes: 6,
      spoolOldestMs: 7.5,
      spoolDropped: 8,
      spoolProblem: 'disk is full',
    },
  },
];

const serverFrames: readonly ServerFrame[] = [
  { challenge: { serverNonce: bytes(4), protocolVersion: 1, serverSignature: bytes(5, 64) } },
  {
    welcome: {
      sessionId: 'ses_1',
      marks: [{ lane: LaneCode.LANE_TASK, mark: 0 }],
      credits: [{ lane: LaneCode.LANE_CHECK, rows: 1000 }],
      config: { heartbeatMs: 15_000, busyHeartbeatMs: 1000, ownAddresses: ['192.0.2.1'], denied: ['evil.example'] },
      serverTimeMs: 1.5,
      newEpoch: true,
    },
  },
  { job: { taskId: 'pt_1', probeType: 'ping', specJson: Buffer.from('{}'), deadlineMs: 10_000 } },
  { cancel: { taskId: 'pt_1' } },
  {
    ack: {
      epoch: bytes(3, 16),
      lane: LaneCode.LANE_TASK,
      mark: 7,
      rejects: [{ sequence: 6, code: 'invalid' }],
      rewind: true,
    },
  },
  { credits: { credits: [{ lane: LaneCode.LANE_TASK, rows: 0 }] } },
  { heartbeat: { sequence: 2, isReply: false } },
  { config: { heartbeatMs: 1 } },
  { close: { reason: CloseReasonCode.CLOSE_BANNED, message: 'banned', retryAfterMs: 0 } },
];

const isMalformed = (run: () => unknown): boolean => {
  try {
    run();
    return false;
  } catch (error) {
    if (error instanceof MalformedFrameError) return true;
    throw error;
  }
};

/** Members that say something: bytes in hexadecimal, without zeros and empty lists, which travel as nothing. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const isSilent = (member: unknown) => !member || (Array.isArray(member) && member.length === 0);
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => (isSilent(member) ? [] : [[key, plain(member)]])),
  );
}

/** Base 128 varint. */
function varint(value: bigint): number[] {
  const out: number[] = [];
  for (let rest = value; ; rest >>= 7n) {
    if (rest < 128n) return [...out, Number(rest)];
    out.push(Number(rest & 127n) | 128);
  }
}

/** A length-delimited field. */
function field(number: number, content: Uint8Array): Buffer {
  return Buffer.concat([
    Buffer.from([...varint(BigInt((number << 3) | 2)), ...varint(BigInt(content.length))]),
    content,
  ]);
}

t.test('every frame comes back as it was sent', async (t) => {
  for (const frame of agentFrames) {
    const [body = ''] = Object.keys(frame);
    const decoded = decodeAgentFrame(encodeAgentFrame(frame));
    t.equal(decoded.body, body);
    t.same(plain(decoded), plain(frame), body);
  }
  for (const frame of serverFrames) {
    const [body = ''] = Object.keys(frame);
    const decoded = decodeServerFrame(encodeServerFrame(frame));
    t.equal(decoded.body, body);
    t.same(plain(decoded), plain(frame), body);
  }
});

t.test(
  'absent scalars are zero, absent lists empty, absent messages null, and 64-bit ones plain numbers',
  async (t) => {
    const { hello, proof } = decodeAgentFrame(encodeAgentFrame({ hello: {} }));
    t.equal(hello?.generation, 0);
    t.equal(hello?.nodeId, '');
    t.same(hello?.protocolVersions, []);
    t.equal(hello?.agentNonce.length, 0);
    t.equal(proof, null);
    const lane = decodeAgentFrame(
      encodeAgentFrame({ proof: { lanes: [{ lane: LaneCode.LANE_TASK, last: 0, acked: 0 }] } }),
    ).proof?.lanes[0];
    t.equal(lane?.last, 0);
    t.equal(lane?.acked, 0);
    t.equal(decodeServerFrame(encodeServerFrame({ ack: {} })).ack?.mark, 0);
  },
);

t.test('a result comes back as it was sent', async () => {
  const result = fc.record({
    taskId: fc.string({ unit: 'grapheme' }),
    resultJson: fc.uint8Array({ maxLength: 200 }),
    finishedAtMs: fc.double({ noNaN: true, min: -(2 ** 53) + 1, max: 2 ** 53 - 1 }),
    clockOffsetMs: fc.double({ noNaN: true, min: -1e9, max: 1e9 }),
    uncertaintyMs: fc.double({ noNaN: true, min: -1, max: 1e9 }),
  });
  fc.assert(
    fc.property(result, (sent) => {
      const got = decodeResult(encodeResult(sent));
      return (
        got.taskId === sent.taskId &&
        Buffer.compare(got.resultJson, sent.resultJson) === 0 &&
        got.finishedAtMs === sent.finishedAtMs &&
        got.clockOffsetMs === sent.clockOffsetMs &&
        got.uncertaintyMs === sent.uncertaintyMs
      );
    }),
  );
});

t.test('a frame cut anywhere is malformed or lacks only whole members', async (t) => {
  for (const frame of agentFrames) {
    const whole = encodeAgentFrame(frame);
    for (let length = 0; length < whole.length; length += 1) {
      if (!isMalformed(() => decodeAgentFrame(whole.subarray(0, length))))
        t.fail(`${Object.keys(frame)[0]} cut at ${length}`);
    }
  }
});

t.test('random bytes decode or are malformed, and nothing else ever happens', async () => {
  const mutated = fc
    .tuple(
      fc.constantFrom(...agentFrames.map(encodeAgentFrame), ...serverFrames.map(encodeServerFrame)),
      fc.array(fc.tuple(fc.nat(400), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 8 }),
    )
    .map(([frame, changes]) => {
      const copy = Uint8Array.from(frame);
      for (const [at, value] of changes) copy[at % copy.length] = value;
      return copy;
    });
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 300 }), mutated), (input) => {
      for (const decode of [decodeAgentFrame, decodeServerFrame, decodeResult]) isMalformed(() => decode(input));
    }),
    { numRuns: rounds(2000) },
  );
});

t.test('what was decoded can be sent again', async () => {
  fc.assert(
    fc.property(fc.constantFrom(...agentFrames), (frame) => {
      const once = encodeAgentFrame(frame);
      const again = encodeAgentFrame(decodeAgentFrame(once) as unknown as AgentFrame);
      return Buffer.compare(once, again) === 0;
    }),
  );
});

t.test('malformed: no body, an invalid body, nothing', async (t) => {
  const hello = encodeAgentFrame({ hello: { nodeId: 'n_1' } });
  const cases: readonly (readonly [string, Uint8Array])[] = [
    ['nothing', new Uint8Array(0)],
    ['a number under a number nobody knows', Buffer.from([(9 << 3) | 0, 5])],
    ['a message and a number', Buffer.concat([field(99, bytes(1, 4)), Buffer.from([(9 << 3) | 0, 5])])],
    ['more unknown messages than a frame has', Buffer.concat(Array.from({ length: 17 }, () => field(99, bytes(1, 4))))],
    ['a body that is a number', Buffer.from([(1 << 3) | 0, 5])],
    ['field number 0', Buffer.from([2, 0])],
    ['text', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
    ['a JSON frame', Buffer.from('{"hello":{}}')],
  ];
  for (const [name, input] of cases)
    t.ok(
      isMalformed(() => decodeAgentFrame(input)),
      name,
    );
  t.ok(isMalformed(() => decodeServerFrame(new Uint8Array(0))));
  t.equal(decodeAgentFrame(Buffer.concat([hello, hello])).hello?.nodeId, 'n_1', 'one body in two pieces is one body');
  t.equal(
    decodeAgentFrame(Buffer.concat([hello, field(99, bytes(1, 4))])).hello?.nodeId,
    'n_1',
    'what a newer peer adds is passed over',
  );
});

t.test('a frame of a newer protocol is known for one: a message under a number that is not known', async (t) => {
  for (const input of [
    field(99, bytes(1, 4)),
    field(16, new Uint8Array()),
    Buffer.concat([field(99, bytes(1, 4)), field(98, bytes(1))]),
  ])
    for (const decode of [decodeAgentFrame, decodeServerFrame]) t.same(decode(input), { body: UNKNOWN_BODY });
});

t.test(
  'the cost of a frame is bounded by its fields: a frame with more fields than any honest one is malformed',
  async (t) => {
    const many = (bytes: number[]) => Buffer.alloc(MAX_FRAME_BYTES - 64, Buffer.from(bytes));
    const full = Array.from({ length: MAX_BATCH_ROWS }, () => ({
      taskId: 't',
      resultJson: bytes(1, 1),
      finishedAtMs: 1,
      clockOffsetMs: 1,
      uncertaintyMs: 1,
      probeType: 'tcp',
      kind: 'k',
    }));
    t.equal(decodeAgentFrame(encodeAgentFrame({ results: { results: full } })).results?.results.length, MAX_BATCH_ROWS);
    const cases: readonly (readonly [string, Uint8Array])[] = [
      ['a known body', many([0x1a, 0])],
      ['an unknown body', many([0x7a, 0])],
      ['rows', field(3, many([0x22, 0]))],
      ['lanes', field(2, many([0x1a, 0]))],
      ['names', field(1, many([0x3a, 0]))],
      ['packed numbers', field(1, field(3, many([1])))],
      ['checks of a self-test', field(5, field(9, many([0x12, 0])))],
      ['groups nobody knows', field(3, many([0x7b, 0x7c]))],
    ];
    for (const [name, input] of cases)
      t.throws(
        () => decodeAgentFrame(input),
        { cause: { message: /more than \d+ (?:fields|values)/ } },
        `a megabyte of ${name}`,
      );
  },
);

t.test('the bodies of a frame are counted before any is decoded: more than sixteen are malformed', async (t) => {
  const tags = t.capture(BoundedReader.prototype, 'tag', BoundedReader.prototype.tag);
  const bodies = (count: number) => Buffer.alloc(2 * count, Buffer.from([0x2a, 0]));
  for (const decode of [decodeAgentFrame, decodeServerFrame]) {
    t.doesNotThrow(() => decode(bodies(16)));
    tags();
    t.throws(() => decode(bodies(MAX_FRAME_BYTES / 2)), MalformedFrameError);
    t.equal(tags().length, 17, 'half a million cost no more than seventeen');
  }
});

t.test('entries of lanes that only a newer build knows are ignored in lists; lane 0 is invalid', async (t) => {
  t.equal(findLaneName(LaneCode.LANE_CHECK), 'check');
  t.equal(findLaneName(3), null);
  for (const code of [0, -1, null, undefined]) t.throws(() => findLaneName(code), MalformedFrameError, String(code));
});

t.test('of two bodies the last is the frame, and the only one set', async (t) => {
  const hello = encodeAgentFrame({ hello: { nodeId: 'n_1' } });
  const heartbeat = encodeAgentFrame({ heartbeat: { sequence: 1 } });
  for (const [input, body] of [
    [[hello, heartbeat], 'heartbeat'],
    [[heartbeat, hello], 'hello'],
  ] as const) {
    const frame = decodeAgentFrame(Buffer.concat(input));
    t.equal(frame.body, body);
    t.same(Object.keys(frame), [body]);
    t.equal(frame.hello === null, body !== 'hello');
  }
});

t.test('malformed: numbers beyond 2^53, NaN and Infinity', async (t) => {
  const drop = (first: bigint) => field(4, Buffer.from([(3 << 3) | 0, ...varint(first)]));
  t.equal(decodeAgentFrame(drop(2n ** 53n - 1n)).dropped?.first, Number.MAX_SAFE_INTEGER);
  for (const first of [2n ** 53n, 2n ** 63n, 2n ** 64n - 1n])
    t.ok(
      isMalformed(() => decodeAgentFrame(drop(first))),
      String(first),
    );
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e300]) {
    t.ok(
      isMalformed(() => decodeAgentFrame(encodeAgentFrame({ heartbeat: { transmitMs: value } }))),
      `heartbeat ${value}`,
    );
    t.ok(
      isMalformed(() => decodeResult(encodeResult({ finishedAtMs: value }))),
      `result ${value}`,
    );
    t.ok(
      isMalformed(() => decodeAgentFrame(encodeAgentFrame({ results: { results: [{}, { uncertaintyMs: value }] } }))),
      `row ${value}`,
    );
  }
});

t.test('depth and size are bounded', async (t) => {
  const groups = Buffer.concat([Buffer.alloc(MAX_FRAME_BYTES / 2, (20 << 3) | 3), Buffer.alloc(10)]);
  t.ok(
    isMalformed(() => decodeAgentFrame(groups)),
    'half a million open groups',
  );
  t.ok(
    isMalformed(() => decodeAgentFrame(field(3, Buffer.from([0x22, 0xff, 0xff, 0xff, 0xff, 0x07])))),
    'a row that claims 2 GiB',
  );
  const padded = (length: number) => Buffer.concat([encodeAgentFrame({ hello: {} }), field(99, Buffer.alloc(length))]);
  const overhead = padded(MAX_FRAME_BYTES - 100).length - (MAX_FRAME_BYTES - 100);
  t.equal(decodeAgentFrame(padded(MAX_FRAME_BYTES - overhead)).body, 'hello', 'as much as a frame may have');
  t.ok(
    isMalformed(() => decodeAgentFrame(padded(MAX_FRAME_BYTES - overhead + 1))),
    'one byte more',
  );
  const unknown = decodeAgentFrame(
    Buffer.concat([
      field(1, Buffer.alloc(MAX_FRAME_FIELDS, Buffer.from([15 << 3, 0]))),
      Buffer.alloc(20, Buffer.from([15 << 3, 0])),
    ]),
  );
  t.same(
    Object.keys(unknown).filter((key) => key !== 'body' && key !== 'hello'),
    [],
    'unknown fields are not kept',
  );
  t.same(Object.keys(unknown.hello ?? {}), ['protocolVersions', 'capabilities'], 'nor those of messages within');
});

t.test('lanes have one code each, and no other code is a lane', async (t) => {
  for (const lane of lanes) t.equal(laneName(laneCode(lane)), lane);
  t.equal(new Set(lanes.map(laneCode)).size, lanes.length);
  for (const code of [0, 3, -1, 1.5, null, undefined])
    t.throws(() => laneName(code), MalformedFrameError, String(code));
});
