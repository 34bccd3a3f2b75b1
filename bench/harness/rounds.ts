/** Measuring a line on both servers in turn, and what comes out of several rounds. */
import type { Bench, FigureSpec, Line, Scale } from './line.js';
import type { Program } from './programs.js';
import { Server } from './server.js';

export interface Programs {
  kvorum: Program;
  /** Absent: only Kvorum is measured. */
  etcd: Program | undefined;
}

/** All that was measured of one figure, a number a round. */
export interface FigureResult {
  spec: FigureSpec;
  kvorum: readonly number[];
  etcd: readonly number[];
}

export interface LineResult {
  line: Line;
  figures: readonly FigureResult[];
}

export interface RoundOptions {
  programs: Programs;
  rounds: number;
  scale: Scale;
  freePort: () => Promise<number>;
  /** Hears of each measurement as it begins. */
  begins: (line: Line, program: Program, round: number) => void;
}

/** Runs `line` `rounds` times on each server; who is first changes from round to round. */
export async function runLine(line: Line, options: RoundOptions): Promise<LineResult> {
  const { kvorum, etcd } = options.programs;
  const runs = { kvorum: [] as Record<string, number>[], etcd: [] as Record<string, number>[] };
  for (let round = 0; round < options.rounds; round++) {
    const programs = etcd === undefined ? [kvorum] : [kvorum, etcd];
    if (round % 2 === 1) programs.reverse();
    for (const program of programs) {
      options.begins(line, program, round);
      runs[program.kind].push(await runOnce(line, program, options));
    }
  }
  const figures = line.figures.map((spec) => ({
    spec,
    kvorum: runs.kvorum.map((run) => valueOf(run, spec)),
    etcd: runs.etcd.map((run) => valueOf(run, spec)),
  }));
  return { line, figures };
}

function valueOf(run: Record<string, number>, { name }: FigureSpec): number {
  const value = run[name];
  if (value === undefined) throw new Error(`the line has no figure "${name}"`);
  return value;
}

async function runOnce(line: Line, program: Program, options: RoundOptions) {
  const servers: Server[] = [];
  const bench: Bench = {
    of: (count) => options.scale.of(count),
    seconds: options.scale.seconds,
    start: async () => {
      const server = await Server.start(program, options.freePort);
      servers.push(server);
      return server;
    },
  };
  try {
    return await line.run(bench);
  } finally {
    for (const server of servers) await server.end();
  }
}
