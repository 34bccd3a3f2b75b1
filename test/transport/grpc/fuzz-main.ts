/** `node dist/test/transport/grpc/fuzz-main.js [SECONDS] [SEED]`: the fuzz test for longer. */
import { fuzz } from './fuzz.js';

const seconds = Number(process.argv[2] ?? 60);
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000);
/** What the heap may grow by after its first tenth: garbage not collected yet. */
const MOST_GROWTH_BYTES = 100 * 1024 * 1024;

console.log(`fuzzing for ${seconds} s, seed ${seed}`);
let count = await fuzz(seconds * 100, seed);
const before = process.memoryUsage().heapUsed;
for (let part = 1; part < 10; part++) count += await fuzz(seconds * 100, seed + part);
const grown = process.memoryUsage().heapUsed - before;
console.log(`${count} conversations, heap ${Math.round(grown / 1024)} KiB larger`);
if (grown > MOST_GROWTH_BYTES) process.exitCode = 1;
