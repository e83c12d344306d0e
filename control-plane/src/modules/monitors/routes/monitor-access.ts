import { Type } from 'typebox';

/** What operations on monitors have in common. */
export const tag = 'Monitors';
export const reads = { kind: 'scope', scope: 'monitor:read' } as const;
export const writes = { kind: 'scope', scope: 'monitor:write' } as const;
export const idParams = Type.Object({ id: Type.String({ maxLength: 64 }) });
