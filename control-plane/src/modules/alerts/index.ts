export type { AlertStatus } from './operator-view.js';
