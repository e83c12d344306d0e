// Minimal control plane of one agent of a lab: enrolls any agent, links, sends the jobs of its parent and returns the
// results. Listens on a port of its first argument, 127.0.0.1 without one, and asks for heartbeats as often as the second
// says, in milliseconds; its messages are in agent-peer-messages.ts.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import {
  type DecodedAgentFrame,
  decodeAgentFrame,
  encodeServerFrame,
  LaneCode,
  type ServerFrame,
} from '@vantage/shared/protocol/codec.js';
import { rawPublicKey, signBytes } from '@vantage/shared/protocol/ed25519.js';
import { NONCE_BYTES } from '@vantage/shared/protocol/limits.js';
import { serverProofBytes } from '@vantage/shared/protocol/transcript.js';
import type { SelfTestCheck } from '@vantage/shared/self-test.js';
import { type WebSocket, WebSocketServer } from 'ws';
import type { FromPeer, ToPeer } from '../agent-peer-messages.js';

const HOST = process.argv[2] ?? '127.0.0.1';
const HEARTBEAT_MS = Number(process.argv[3] ?? 1_000);
const DEADLINE_MS = 300_000;
const CREDIT_ROWS = 10_000;

type Body<B extends keyof DecodedAgentFrame> = NonNullable<DecodedAgentFrame[B]>;

const keys = generateKeyPairSync('ed25519');
const nodeId = newId(idPrefixes.node);
const server = createServer((request, response) => void enroll(request, response));
let url = '';
let nodePublicKey: Buffer = Buffer.alloc(0);
let canaries: readonly string[] = [];
/** Number of the newest result seen. */
let newest = 0;
let link: WebSocket | null = null;

new WebSocketServer({ server }).on('connection', (socket) => {
  link = socket;
  socket.on('message', (data) => {
    // frames of a link that was cut may still arrive: the next one counts
    if (socket === link) take(decodeAgentFrame(data as Buffer));
  });
});
server.listen(0, HOST, () => {
  url = `http://${HOST}:${(server.address() as AddressInfo).port}`;
  post({ kind: 'listening', url });
});
process.on('disconnect', () => process.exit());
process.on('message', (message: ToPeer) => {
  switch (message.kind) {
    case 'job':
      sendJob(message.taskId, message.probeType, Buffer.from(message.specJson));
      break;
    case 'canaries':
      canaries = message.canaries;
      send({ config: config() });
      break;
    case 'credits':
      send({ credits: { credits: [{ lane: LaneCode.LANE_TASK, rows: message.rows }] } });
      break;
    case 'hang-up':
      link?.terminate();
      break;
  }
});

async function enroll(request: IncomingMessage, response: ServerResponse): Promise<void> {
  nodePublicKey = Buffer.from(JSON.parse(await text(request)).public_key, 'base64');
  const serverPublicKey = rawPublicKey(keys.publicKey).toString('base64');
  const place = { node_id: nodeId, control_urls: [url], server_public_key: serverPublicKey, audience: url, config: {} };
  response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify({ data: place }));
}

function take(frame: DecodedAgentFrame): void {
  if (frame.hello) challenge(frame.hello);
  else if (frame.proof) welcome(frame.proof);
  else if (frame.heartbeat) takeHeartbeat(frame.heartbeat);
  else if (frame.results) takeResults(frame.results);
}

function challenge({ agentNonce, bootId, generation }: Body<'hello'>): void {
  post({ kind: 'hello' });
  const serverNonce = randomBytes(NONCE_BYTES);
  const common = { audience: url, nodeId, publicKey: nodePublicKey, protocolVersion: 1 };
  const bytes = serverProofBytes({ ...common, agentNonce, serverNonce, bootId, generation });
  const serverSignature = signBytes(keys.privateKey, bytes);
  send({ challenge: { serverNonce, protocolVersion: 1, serverSignature } });
}

/** Sends the welcome. Verifying the proof is not this program's task. */
function welcome({ lanes }: Body<'proof'>): void {
  const markOf = (lane: number, acked: number) => (lane === LaneCode.LANE_TASK ? newest : acked);
  const marks = lanes.map(({ lane, acked }) => ({ lane, mark: markOf(lane, acked) }));
  const credits = lanes.map(({ lane }) => ({ lane, rows: CREDIT_ROWS }));
  const serverTimeMs = Date.now();
  send({ welcome: { sessionId: 'ses_lab', marks, credits, config: config(), serverTimeMs, newEpoch: false } });
  post({ kind: 'linked' });
}

function config() {
  return {
    heartbeatMs: HEARTBEAT_MS,
    busyHeartbeatMs: HEARTBEAT_MS,
    ownAddresses: [],
    denied: [],
    canaries: [...canaries],
  };
}

function takeHeartbeat({ isReply, sequence, transmitMs, selfTest, spoolRows }: Body<'heartbeat'>): void {
  post({ kind: 'heartbeat', spoolRows, receivedRows: newest });
  const nowMs = Date.now();
  if (!isReply)
    send({ heartbeat: { sequence, isReply: true, originMs: transmitMs, receiveMs: nowMs, transmitMs: nowMs } });
  if (selfTest) post({ kind: 'self-test', checks: selfTest.checks as SelfTestCheck[] });
}

function takeResults({ epoch, lane, first, results }: Body<'results'>): void {
  if (first > newest + 1) throw new Error(`a gap: ${first} came after ${newest}`);
  const last = first + results.length - 1;
  const known = Math.min(results.length, newest + 1 - first);
  results.slice(known).forEach((result, index) => sendResult(newest + 1 + index, result));
  if (known > 0) post({ kind: 'resent', rows: known });
  newest = Math.max(newest, last);
  send({ ack: { epoch, lane, mark: last, rewind: false } });
}

function sendResult(sequence: number, result: Body<'results'>['results'][number]): void {
  const { taskId, resultJson, clockOffsetMs, uncertaintyMs } = result;
  const row = { sequence, taskId, clockOffsetMs, uncertaintyMs };
  post({ kind: 'result', ...row, resultJson: Buffer.from(resultJson).toString() });
}

function sendJob(taskId: string, probeType: string, specJson: Buffer): void {
  send({ job: { taskId, probeType, specJson, deadlineMs: DEADLINE_MS, caller: 'lab' } });
}

function send(frame: ServerFrame): void {
  link?.send(encodeServerFrame(frame));
}

function post(message: FromPeer): void {
  process.send?.(message);
}
