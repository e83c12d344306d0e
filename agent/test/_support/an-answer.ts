import type { Answer } from '../../src/net/icmp.js';

/** An echo reply of 10.0.0.9 to the first packet after a millisecond, but for what is said otherwise. */
export function anAnswer(fields: Partial<Answer> = {}): Answer {
  return {
    index: 0,
    from: '10.0.0.9',
    name: 'echo_reply',
    type: null,
    code: null,
    mpls: [],
    ttl: null,
    rttMs: 1,
    isDuplicate: false,
    ...fields,
  };
}
