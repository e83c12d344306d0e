/** Path at which agents and control planes serve speed tests. */
export const SPEEDTEST_PATH = '/speedtest';
/** Header by which the answer of such a server is known. */
export const SPEEDTEST_HEADER = 'vantage-speedtest';
/** Bytes that travel each way at most. */
export const MAX_SPEEDTEST_BYTES = 25_000_000;
/** Milliseconds that each way takes at most. */
export const MAX_SPEEDTEST_MS = 10_000;
/** Milliseconds between two lines in which a server reports what it has received. */
export const PROGRESS_INTERVAL_MS = 25;
