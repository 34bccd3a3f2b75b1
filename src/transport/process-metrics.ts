/** What Prometheus' clients say of the process they are in. */
import { readdirSync, readFileSync } from 'node:fs';
import type { Registry } from '../server/index.js';

/** Puts them on the page, under the usual names. */
export function exposeProcess(registry: Registry): void {
  const seconds = (): number => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  };
  const startSeconds = performance.timeOrigin / 1000;
  const read: Registry['read'] = (...metric) => registry.read(...metric);
  read('process_cpu_seconds_total', 'CPU time spent.', 'counter', seconds);
  read('process_resident_memory_bytes', 'Resident memory.', 'gauge', () =>
    process.memoryUsage.rss(),
  );
  read('process_start_time_seconds', 'Start of the process.', 'gauge', () => startSeconds);
  read('process_open_fds', 'Open file descriptors.', 'gauge', openFiles);
  read('process_max_fds', 'Most file descriptors that may be open.', 'gauge', maxFiles);
  read('os_fd_used', 'Used file descriptors.', 'gauge', openFiles);
  read('os_fd_limit', 'Limit of file descriptors.', 'gauge', maxFiles);
}

/** 0 where the system does not say. */
function openFiles(): number {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return 0;
  }
}

function maxFiles(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'latin1');
    return Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? 0);
  } catch {
    return 0;
  }
}
