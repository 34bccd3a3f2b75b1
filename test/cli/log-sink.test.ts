import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { FdSink, type WriteBytes } from '../../src/cli/log-sink.js';

const sinkModule = new URL('../../src/cli/log-sink.js', import.meta.url).href;

type Done = Parameters<WriteBytes>[2];

/** A descriptor whose writes the test finishes. */
function slowDescriptor() {
  const written: string[] = [];
  const waiting: { bytes: Uint8Array; done: Done }[] = [];
  const writeBytes: WriteBytes = (_fd, bytes, done) => waiting.push({ bytes, done });
  return {
    written,
    waiting,
    writeBytes,
    /** Finishes the write that runs, with its first `count` bytes. */
    finish(count = Infinity): void {
      const { bytes, done } = waiting.shift()!;
      const taken = bytes.subarray(0, count);
      written.push(Buffer.from(taken).toString('utf8'));
      done(null, taken.length);
    },
    fail(code: string): void {
      waiting.shift()!.done(Object.assign(new Error(code), { code }), 0);
    },
  };
}

function sinkOn(descriptor: { writeBytes: WriteBytes }, maxPendingBytes = 1000): FdSink {
  const droppedLine = (count: number) => `dropped ${count}\n`;
  return new FdSink(2, { maxPendingBytes, droppedLine, writeBytes: descriptor.writeBytes });
}

test('one write at a time; what gathers meanwhile is the next one', () => {
  const descriptor = slowDescriptor();
  const sink = sinkOn(descriptor);
  for (const line of ['a\n', 'b\n', 'c\n']) sink.write(line);
  assert.equal(descriptor.waiting.length, 1);
  descriptor.finish();
  descriptor.finish();
  assert.deepEqual(descriptor.written, ['a\n', 'b\nc\n']);
  assert.equal(descriptor.waiting.length, 0);
});

test('a write that was cut short goes on', () => {
  const descriptor = slowDescriptor();
  sinkOn(descriptor).write('héllo\n');
  descriptor.finish(2);
  descriptor.finish();
  assert.equal(descriptor.waiting.length, 0);
  assert.equal(descriptor.written.length, 2);
});

test('beyond the bound lines are dropped, and the count is told when there is room', () => {
  const descriptor = slowDescriptor();
  const sink = sinkOn(descriptor, 10);
  sink.write('first\n');
  for (const line of ['1234\n', '5678\n', 'x\n', 'y\n']) sink.write(line);
  assert.equal(sink.droppedTotal, 2);
  descriptor.finish();
  descriptor.finish();
  assert.deepEqual(descriptor.written, ['first\n', '1234\n5678\ndropped 2\n']);
  sink.write('later\n');
  descriptor.finish();
  assert.equal(descriptor.written.at(-1), 'later\n', 'the count is told once');
});

test('a reader that has gone is not written to again', async () => {
  const descriptor = slowDescriptor();
  const sink = sinkOn(descriptor);
  sink.write('a\n');
  sink.write('b\n');
  const flushed = sink.flush(60_000);
  descriptor.fail('EPIPE');
  await flushed;
  sink.write('c\n');
  assert.equal(descriptor.waiting.length, 0);
});

test('a descriptor that would block is asked again', async () => {
  const descriptor = slowDescriptor();
  const sink = sinkOn(descriptor);
  sink.write('a\n');
  descriptor.fail('EAGAIN');
  while (descriptor.waiting.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  descriptor.finish();
  assert.deepEqual(descriptor.written, ['a\n']);
});

test('flush waits for the end, but not for ever', async () => {
  const descriptor = slowDescriptor();
  const sink = sinkOn(descriptor);
  await sink.flush(60_000);
  sink.write('a\n');
  await sink.flush(5);
  const flushed = sink.flush(60_000);
  descriptor.finish();
  await flushed;
  assert.deepEqual(descriptor.written, ['a\n']);
});

/** Logs far more than a pipe and the buffer hold, then says on stdout how that went. */
const program = `
  const { FdSink } = await import(${JSON.stringify(sinkModule)});
  const sink = new FdSink(2, { maxPendingBytes: 100_000, droppedLine: (n) => 'dropped ' + n + '\\n' });
  const line = 'x'.repeat(99) + '\\n';
  for (let turn = 0; turn < 20; turn++) {
    for (let i = 0; i < 1000; i++) sink.write(line);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  process.stdout.write('alive ' + sink.droppedTotal + '\\n');
`;

test('a process whose log nobody reads goes on', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  try {
    const [said] = (await once(child.stdout, 'data')) as [Buffer];
    const dropped = Number(/^alive (\d+)$/m.exec(said.toString())![1]);
    assert.ok(dropped > 10_000, String(dropped));
    const log: Buffer[] = [];
    child.stderr.on('data', (chunk: Buffer) => log.push(chunk));
    await once(child, 'close');
    const lines = Buffer.concat(log).toString().trimEnd().split('\n');
    // The pipe's other end reads ahead: there may be several gaps.
    const gaps = lines.flatMap((line) => /^dropped (\d+)$/.exec(line)?.[1] ?? []);
    const told = gaps.reduce((sum, count) => sum + Number(count), 0);
    assert.equal(told, dropped, 'the gaps are told once somebody reads');
    assert.equal(lines.length - 1, 20_000 - dropped);
  } finally {
    child.kill();
  }
});
