import { Type } from 'typebox';

/** Tag, scopes and parameters that operations on monitors share. */
export const tag = 'Monitors';
export const reads = { kind: 'scope', scope: 'monitor:read' } as const;
export const writes = { kind: 'scope', scope: 'monitor:write' } as const;
/** Access to respond to events: less than writing, so that a responder of a team has it. */
export const responds = { ...writes, respond: true } as const;
export const idParams = Type.Object({ id: Type.String({ maxLength: 64 }) });
