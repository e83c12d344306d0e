/** A version in figures, as `0.2.0` or `1.4.0-rc.2`: what an upgrade may be asked for. It begins with a digit, so it is no option. */
export const UPGRADE_VERSION_PATTERN = '^\\d{1,5}\\.\\d{1,5}\\.\\d{1,5}(-[0-9A-Za-z]+(\\.[0-9A-Za-z]+)*)?$';
/** Characters of one at most. */
export const UPGRADE_VERSION_LENGTH = 32;

/** Progress of an upgrade as its node reports it. */
export const upgradeStatusStates = ['refused', 'running', 'failed'] as const;
export type UpgradeStatusState = (typeof upgradeStatusStates)[number];

const pattern = new RegExp(UPGRADE_VERSION_PATTERN);

/** True if an upgrade may be requested with this text. */
export function isUpgradeVersion(text: string): boolean {
  return text.length <= UPGRADE_VERSION_LENGTH && pattern.test(text);
}
