import { Type } from 'typebox';

/** Scopes and parameters that operations on alerts share. */
export const reads = { kind: 'scope', scope: 'alert:read' } as const;
export const writes = { kind: 'scope', scope: 'alert:write' } as const;
export const idParams = Type.Object({ id: Type.String({ maxLength: 64 }) });
/** Tag of operations on channels. */
export const channelTag = 'Alert channels';
