/** What a command line needs of the process that runs it. A test gives its own. */

/** Standard input, as bytes in latin1 strings. */
export interface Input {
  /** Everything that is left. */
  readAll(): Promise<string>;
  /** The next line without its newline; undefined at the end (a last line without newline is lost). */
  readLine(): Promise<string | undefined>;
}

export interface Host {
  /** Environment; values are bytes in latin1 strings. */
  env: Record<string, string | undefined>;
  stdin: Input;
  /** Contents of a file; throws with Node's codes. */
  readFile(path: string): Buffer;
  /** A line for stderr, at once. */
  warn(line: string): void;
  /** Draws on the terminal that stderr is; absent where it is none. */
  drawProgress?: (text: string) => void;
  /** Aborted when the user wants the program to end (ctrl-C); asked twice, it ends at once. */
  interruption?: () => AbortSignal;
  pause(ms: number): Promise<void>;
  /** A monotonic clock. */
  nanoseconds(): bigint;
  /**
   * Runs a program on our own output streams. Resolves to undefined when it succeeded, else to the
   * words that Go has for its failure (`exit status 7`).
   */
  run(argv: readonly string[], env: Record<string, string>): Promise<string | undefined>;
}
