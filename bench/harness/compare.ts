/** A suite of lines, run on both servers: tables as they come, JSON at the end. */
import type { Line } from './line.js';
import { machineText } from './machine.js';
import { portSource } from './ports.js';
import { etcdProgram, kvorumProgram } from './programs.js';
import { type LineResult, type Programs, runLine } from './rounds.js';
import { meetsGoal, median, ratio } from './statistics.js';
import { legend, tableOf } from './table.js';

export interface CompareOptions {
  lines: readonly Line[];
  rounds: number;
  seconds: number;
  /** Share of the full size: 1, or less for a trial. */
  size: number;
  /** The etcd program or its folder; absent: what PATH has, if it has one. */
  etcd: string | undefined;
  firstPort: number | undefined;
  json: boolean;
}

export async function compare(options: CompareOptions): Promise<void> {
  const { lines, rounds, seconds, size, json } = options;
  const programs: Programs = { kvorum: kvorumProgram(), etcd: etcdProgram(options.etcd) };
  const print = (text: string) => (json ? console.error(text) : console.log(text));
  print(`${machineText()}\n`);
  const freePort = portSource(options.firstPort);
  const results: LineResult[] = [];
  for (const line of lines) {
    const result = await runLine(line, {
      programs,
      rounds,
      scale: { of: (count) => Math.max(1, Math.round(count * size)), seconds },
      freePort,
      begins: ({ name }, { title }, round) =>
        console.error(`${name}, round ${round + 1} of ${rounds}: ${title}`),
    });
    results.push(result);
    print(`${tableOf(result)}\n`);
  }
  print(legend(programs, rounds));
  if (json) console.log(JSON.stringify(jsonOf(results, programs, options), undefined, 2));
}

function jsonOf(results: readonly LineResult[], programs: Programs, options: CompareOptions) {
  const { rounds, seconds, size } = options;
  return {
    machine: machineText(),
    etcd: programs.etcd?.title,
    rounds,
    seconds,
    size,
    lines: results.map(({ line, figures }) => ({
      name: line.name,
      what: line.what,
      figures: figures.map((figure) => ({
        ...figure.spec,
        kvorum: figure.kvorum,
        etcd: figure.etcd,
        kvorumMedian: median(figure.kvorum),
        etcdMedian: figure.etcd.length === 0 ? undefined : median(figure.etcd),
        ratio: ratio(figure),
        goalMet: meetsGoal(figure),
      })),
    })),
  };
}
