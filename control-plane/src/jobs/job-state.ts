// ready <──(time)── waiting <──(failed)──┐
//   │                                    │
//   └──(a worker takes it)──> running ───┤──> gone (succeeded)
//   ^                                    └──> dead (failed too often, or for good)
//   └──────────(an administrator)───────────────┘

/** States of a job in the queue, the one list. */
export const jobStates = ['ready', 'running', 'waiting', 'dead'] as const;
export type JobState = (typeof jobStates)[number];
