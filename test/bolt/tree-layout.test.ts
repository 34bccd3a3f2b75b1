import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import type { Node } from '../../src/bolt/tree-layout.js';
import { TreeLayout } from '../../src/bolt/tree-layout.js';

const PAGE = 1024;

/** Lays out values of these sizes under four-digit keys; nodes by page id, and the root. */
function layOut(valueSizes: readonly number[]): { nodes: Map<number, Node>; root: number } {
  const nodes = new Map<number, Node>();
  let next = 2;
  const layout = new TreeLayout(PAGE, (node) => {
    const id = next;
    next += Math.ceil(node.bytes / PAGE);
    nodes.set(id, node);
    return id;
  });
  valueSizes.forEach((size, i) => layout.add(keyOf(i), new Uint8Array(size)));
  return { nodes, root: layout.finish() };
}

function keyOf(i: number): string {
  return String(i).padStart(4, '0');
}

function leafKeys(nodes: Map<number, Node>, id: number): string[] {
  const node = nodes.get(id)!;
  return node.leaf ? [...node.keys] : node.children.flatMap((child) => leafKeys(nodes, child));
}

function realBytes(node: Node): number {
  const keys = node.keys.reduce((sum, key) => sum + 16 + key.length, 16);
  return node.values.reduce((sum, value) => sum + value.length, keys);
}

test('no pair is an empty leaf', () => {
  const { nodes, root } = layOut([]);
  assert.equal(nodes.size, 1);
  assert.deepEqual(nodes.get(root)!.keys, []);
});

test('what fits in a page is one leaf', () => {
  const { nodes, root } = layOut([100, 100, 100]);
  assert.equal(nodes.size, 1);
  assert.equal(nodes.get(root)!.bytes, 16 + 3 * 120);
});

test('a leaf closes at nine tenths of a page', () => {
  const { nodes } = layOut(Array.from({ length: 100 }, () => 10));
  const [first] = nodes.values();
  assert.equal(first!.keys.length, Math.floor((921 - 16) / 30));
});

test('the last element is not left alone: its leaf takes one from the leaf before', () => {
  const perLeaf = Math.floor((921 - 16) / 30);
  const { nodes } = layOut(Array.from({ length: perLeaf + 1 }, () => 10));
  const sizes = [...nodes.values()].map((node) => node.keys.length);
  assert.deepEqual(sizes, [perLeaf - 1, 2, 2]);
});

test('three big values stay in one leaf, as there are not two for each of two', () => {
  const { nodes, root } = layOut([5000, 5000, 5000]);
  assert.equal(nodes.size, 1);
  assert.equal(nodes.get(root)!.keys.length, 3);
});

test('any layout: order kept, sizes right, two elements a node, children before parents', () => {
  const size = fc.oneof(
    { weight: 8, arbitrary: fc.nat(60) },
    { weight: 2, arbitrary: fc.nat(1100) },
    { weight: 1, arbitrary: fc.nat(9000) },
  );
  fc.assert(
    fc.property(fc.array(size, { maxLength: 1500, size: 'max' }), (sizes) => {
      const { nodes, root } = layOut(sizes);
      assert.equal(root, Math.max(...nodes.keys()));
      assert.deepEqual(
        leafKeys(nodes, root),
        sizes.map((_, i) => keyOf(i)),
      );
      for (const [id, node] of nodes) {
        assert.equal(node.bytes, realBytes(node));
        if (nodes.size > 1) assert.ok(node.keys.length >= 2, `${node.keys.length} in ${id}`);
        assert.ok(node.bytes <= 921 || node.keys.length <= 3, `${node.bytes} bytes in ${id}`);
        node.children.forEach((child, i) => {
          assert.ok(child < id);
          assert.equal(nodes.get(child)!.keys[0], node.keys[i]);
        });
      }
    }),
    { numRuns: 60 },
  );
});
