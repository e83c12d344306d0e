/**
 * The one list of tags: what the reference groups operations by, in this order, with a sentence for each. An operation
 * whose tag is not here keeps the server from starting.
 */
export const apiTags: Readonly<Record<string, string>> = {
  Probes: 'One-shot measurements from many nodes at once: submit one, wait for it or follow its results as they come.',
  Monitors:
    'What is checked again and again from many nodes, what came of it, and the episodes in which it was not well.',
  'Check-ins':
    'What a job calls to say that it began, ended or failed, for monitors of type `heartbeat`; and the picture of their state.',
  Nodes: 'The agents that measure: where they stand, on which networks, and whether they are connected.',
  Authentication: 'Registering, logging in and out, refreshing an access token, verifying an address, and passwords.',
  Account: 'Your profile, your sessions, and what happened to your account.',
  'API keys': 'Keys of programs: shown once, limited to scopes, at most 90 days valid, revoked at once.',
  'Personal access tokens':
    'Tokens that act as yourself, for scripts and the command line, with the scopes you choose.',
  Enrollment: 'How an agent becomes a node: one-time tokens, and the call that the agent makes with one.',
  Administration: 'What only administrators of this installation may do.',
  Reference: 'The description of this API.',
};
