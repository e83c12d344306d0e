// ready <──(time)── waiting <──(failed)──┐
//   │                                    │
//   └──(a worker takes it)──> running ───┤──> gone (succeeded)
//   ^                                    └──> dead (failed too often, or for good)
//   └──────────(an administrator)───────────────┘

/** What a job in the queue may be, the one list. */
export const jobStates = ['ready', 'running', 'waiting', 'dead'] as const;
/** A state of the list. */
export type JobState = (typeof jobStates)[number];
