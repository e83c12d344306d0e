/** Type of an event. API specification 2.4. */
export type EventType = 'down' | 'degraded';
