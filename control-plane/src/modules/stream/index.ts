export type { Streams } from './streams.js';
