/** What a snapshot file holds, as text that can be compared. */
import { BoltReader } from '../../../src/bolt/index.js';
import { withSnapshotFile } from '../../../src/embed/snapshot-file.js';

/** Every pair of one bucket, as `hex key: hex value`; none when the file has no such bucket. */
export function bucketContent(path: string, bucket: string): Promise<string[]> {
  return withSnapshotFile(path, async (file) => {
    const reader = await BoltReader.open(file);
    const lines: string[] = [];
    if (!reader.buckets().includes(bucket)) return lines;
    for await (const chunk of reader.pairs(bucket)) {
      for (const [key, value] of chunk) {
        lines.push(
          `${Buffer.from(key, 'latin1').toString('hex')}: ${Buffer.from(value).toString('hex')}`,
        );
      }
    }
    return lines;
  });
}
