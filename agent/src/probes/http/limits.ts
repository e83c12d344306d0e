/** Bytes of status lines and headers at most, those of interim responses included: as many as Chrome reads. */
export const MAX_HEADER_BYTES = 256 * 1024;
/** Header lines at most, those of interim responses included: as many as curl reads. */
export const MAX_HEADER_LINES = 5000;
/** Bytes and lines of the trailers of one response at most. */
export const MAX_TRAILER_BYTES = 32 * 1024;
export const MAX_TRAILER_LINES = 128;
/** Interim (1xx) responses before the final one at most: ten a second for the longest probe. */
export const MAX_INTERIM_RESPONSES = 300;
/** Characters of the URL of a redirect at most, as servers take them; a result holds six. */
export const MAX_URL_LENGTH = 8192;
/** Cookies of one chain of redirects at most, bytes of name and value of each, and of all together. */
export const MAX_COOKIES = 50;
export const MAX_COOKIE_BYTES = 4096;
export const MAX_COOKIES_BYTES = 16 * 1024;
/** Body bytes read at most, as they travel; the rest stays on the wire. */
export const MAX_READ_BYTES = 1024 * 1024;
/** Body bytes after decompression at most. */
export const MAX_DECODED_BYTES = 1024 * 1024;
/** Content codings of one body at most, one around the other. */
export const MAX_CODINGS = 5;
/** Bytes of the header lines that a result keeps at most, as JSON. */
export const MAX_KEPT_HEADER_BYTES = 64 * 1024;
/** UTF-8 bytes of body that a result keeps. */
export const MAX_KEPT_BYTES = 64 * 1024;
/** Body bytes read at most where only the headers are examined, and UTF-8 bytes of text that such a result keeps. */
export const MAX_EXAMINED_BYTES = 64 * 1024;
export const MAX_EXAMINED_TEXT_BYTES = 32 * 1024;
/** Bytes an HTTP/2 connection may carry for one answer, framing and control frames included. */
export const MAX_WIRE_BYTES = MAX_READ_BYTES + MAX_HEADER_BYTES + 512 * 1024;
/**
 * Greatest number of HTTP/2 frames that are not part of the response: settings, pings and others; honest servers send
 * two or three.
 */
export const MAX_CONTROL_FRAMES = 100;
/**
 * Limits of the JSON that is parsed, so that even the worst document keeps the loop busy for only 6 ms (CPU, measured
 * 2026-11): characters, values, and depth.
 */
export const MAX_JSON_CHARACTERS = 256 * 1024;
export const MAX_JSON_VALUES = 10_000;
export const MAX_JSON_DEPTH = 100;
/** Steps that one JSONPath may take: 16 ms by the worst of them (CPU, measured 2026-11); the loop turns between two paths. */
export const MAX_JSON_STEPS = 40_000;
/** Places of a keyword that are counted before the loop turns: 5 ms (measured 2026-11). */
export const PLACES_PER_TURN = 200_000;
/** Values kept of one JSONPath at most, and bytes of their JSON. */
export const MAX_VALUES = 10;
export const MAX_VALUE_BYTES = 2048;
/** Bytes of the lines around chunks in one body at most: chunks of a few bytes would cost more to read than they bring. */
export const MAX_CHUNK_LINE_BYTES = 512 * 1024;
/** Greatest number of bytes of chunk extensions in one body; honest servers send none. */
export const MAX_CHUNK_EXTENSION_BYTES = 16 * 1024;
