const PACKET_BYTES = 48;
/** Seconds from 1900, where NTP counts from, to 1970. */
const EPOCH_OFFSET_SECONDS = 2_208_988_800;
/** Version 4, mode 4: server. */
const SERVER = 0b00_100_100;

/**
 * Reply of a time server with a reference clock, with this machine's time (RFC 5905 section 7.3); null for bytes that
 * are no request.
 */
export function timeAnswer(request: Buffer): Buffer | null {
  if (request.length < PACKET_BYTES) return null;
  const now = timestamp(performance.timeOrigin + performance.now());
  const reply = Buffer.alloc(PACKET_BYTES);
  reply.writeUInt8(SERVER, 0);
  // stratum, poll, precision (2^-20 s), then root delay and dispersion of 0
  reply.writeUInt8(1, 1);
  reply.writeInt8(6, 2);
  reply.writeInt8(-20, 3);
  reply.write('DEMO', 12, 'latin1');
  now.copy(reply, 16);
  // origin: what the client sent as its own time
  request.copy(reply, 24, 40, 48);
  now.copy(reply, 32);
  now.copy(reply, 40);
  return reply;
}

/** Seconds since 1900 and a fraction, 32 bits each. */
function timestamp(wallMs: number): Buffer {
  const seconds = wallMs / 1000 + EPOCH_OFFSET_SECONDS;
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32BE(Math.floor(seconds) % 2 ** 32, 0);
  bytes.writeUInt32BE(Math.floor((seconds % 1) * 2 ** 32), 4);
  return bytes;
}
