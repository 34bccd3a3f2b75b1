export * from './int64.js';
export * from './kv.js';
export * from './lease.js';
export * from './watch.js';
export * from './cluster.js';
export * from './internal.js';
export * from './errors.js';
export * from './assert.js';
