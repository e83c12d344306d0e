/** Security-relevant acts of every module, `what.happened`. Each module adds its own by declaration merging. */
// biome-ignore lint/suspicious/noEmptyInterface: modules merge their members into it
export interface ActionsOfModules {}

/** An act that the audit log keeps. */
export type AuditAction = ActionsOfModules[keyof ActionsOfModules];
