/** Misbehaviours of the hostile web server, and the port of `hostile` for each. */
export const misbehaviours = {
  'endless-body': 8001,
  'one-byte-every-5-seconds': 8002,
  'ten-megabytes-of-headers': 8003,
  'hundred-thousand-header-lines': 8004,
  'endless-interim-responses': 8005,
  'http-0.9': 8006,
  'wrong-chunk-sizes': 8007,
  'brotli-bomb': 8008,
  'reset-after-request': 8009,
  'reset-after-accept': 8010,
  'never-reads': 8011,
  'half-close': 8012,
  'silent-after-accept': 8013,
  'endless-banner': 8014,
  'two-lengths': 8015,
  'short-body': 8016,
} as const;
/** One of them. */
export type Misbehaviour = keyof typeof misbehaviours;

/** Port of `hostile` without a listener: a SYN is answered by RST. */
export const CLOSED_PORT = 8099;
