/** Exit codes of every command, with their meaning for people and service managers. */
export const exitCodes = {
  ok: { code: 0, meaning: 'done; for `run`: stopped on request' },
  failed: {
    code: 1,
    meaning:
      'the command failed; for `probe`: the probe failed; for `status`: not connected; for `health`: not healthy in time; for `spool`: damage was found',
  },
  usage: { code: 2, meaning: 'wrong arguments or configuration' },
  banned: { code: 3, meaning: 'the control plane banned this node; a restart does not help' },
  upgradeRequired: { code: 4, meaning: 'the control plane requires a newer agent' },
  notEnrolled: { code: 5, meaning: 'the state directory has no identity: run `vantage-agent enroll` first' },
  stateInUse: { code: 6, meaning: 'another agent runs with this state directory' },
  deleted: {
    code: 7,
    meaning:
      'the owner deleted this node; to use the machine again, enroll it as a new node with an empty state directory',
  },
} as const;

export type ExitName = keyof typeof exitCodes;

/** Ends a command with one line on stderr and a code; the message is for the person who typed it. */
export class CommandError extends Error {
  override readonly name = 'CommandError';

  constructor(
    readonly exit: ExitName,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}
