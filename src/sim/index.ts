/** The deterministic simulator. */
export {};
