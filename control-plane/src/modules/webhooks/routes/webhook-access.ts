import { Type } from 'typebox';

/** Tag, scopes and parameters that operations on webhooks share. */
export const tag = 'Webhooks';
export const reads = { kind: 'scope', scope: 'alert:read' } as const;
export const writes = { kind: 'scope', scope: 'alert:write' } as const;
export const idParams = Type.Object({ id: Type.String({ maxLength: 64 }) });
