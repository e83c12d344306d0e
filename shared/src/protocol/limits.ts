/** WebSocket subprotocol of the link; the number is the major version of proto/link.proto. */
export const LINK_SUBPROTOCOL = 'vantage.v1';
/** Path of the link on the control plane. */
export const LINK_PATH = '/v1/agent/link';
/** Protocol versions this build speaks, newest first. */
export const PROTOCOL_VERSIONS: readonly number[] = [1];
/** Largest WebSocket message in either direction, bytes. */
export const MAX_FRAME_BYTES = 1024 * 1024;
/** Fields in one frame at most, those of its messages included: a full batch has half as many. */
export const MAX_FRAME_FIELDS = 16_384;
/** WebSocket fragments in one message at most, and pieces in which they may come: each costs memory, however short it is. */
export const MAX_MESSAGE_FRAGMENTS = 1024;
export const MAX_MESSAGE_PIECES = 8192;
/** Rows in one result batch at most. */
export const MAX_BATCH_ROWS = 1000;
/** Bytes of one encoded result of any type at most; a type may have a lower limit. A larger one is replaced by an `internal` failure on the agent. */
export const MAX_RESULT_BYTES = 256 * 1024;
/**
 * Time from accepting a socket to a valid proof, in milliseconds; on the agent from its hello to the proof, and on to
 * the welcome.
 */
export const HANDSHAKE_TIMEOUT_MS = 10_000;
/** Nonces of both sides, bytes. */
export const NONCE_BYTES = 32;
/** Spool epoch, bytes. */
export const EPOCH_BYTES = 16;
/** WebSocket close code of a banned node; every other close reason travels in a Close frame. */
export const WS_CLOSE_BANNED = 4403;
/** WebSocket close code of a deleted node. */
export const WS_CLOSE_DELETED = 4410;
/** WebSocket close code of any other deliberate close. */
export const WS_CLOSE_LINK = 4400;
