export type * from '../plan/progress-event.ts';
