export { Lessor, type LessorOptions, type TimeToLive } from './lessor.js';
