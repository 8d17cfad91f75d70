export type JobKind = 'still' | 'loop';
