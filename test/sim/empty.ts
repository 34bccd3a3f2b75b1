/** Filled by the suites of this folder. */
export {};
