/**
 * Values under half-open intervals of strings, and the question which of them contain a point: an AVL
 * tree ordered by (from, to), in which each node knows the largest `to` below it.
 */

interface Node<T> {
  readonly from: string;
  readonly to: string;
  readonly values: Set<T>;
  left: Node<T> | undefined;
  right: Node<T> | undefined;
  height: number;
  /** Largest `to` in this subtree: a point at or above it is in none of its intervals. */
  reach: string;
}

/** Adding and deleting cost O(log n); a question O(log n) for each interval that answers it. */
export class IntervalMap<T> {
  #root: Node<T> | undefined;

  /** Adds `value` under [from, to); the same value may stand under an interval once. */
  add(from: string, to: string, value: T): void {
    this.#root = added(this.#root, from, to, value);
  }

  delete(from: string, to: string, value: T): void {
    const node = find(this.#root, from, to);
    if (node === undefined || !node.values.delete(value) || node.values.size > 0) return;
    this.#root = removed(this.#root, from, to);
  }

  /** Visits every value whose interval contains `point`, in the order of intervals. */
  visitContaining(point: string, visit: (value: T) => void): void {
    visitBelow(this.#root, point, visit);
  }

  /** Is `point` in any of the intervals? O(log n). */
  hasContaining(point: string): boolean {
    let node = this.#root;
    while (node !== undefined && node.reach > point) {
      if (node.from <= point && point < node.to) return true;
      // If the left side reaches past the point and misses it, so does everything to its right.
      node = node.left !== undefined && node.left.reach > point ? node.left : node.right;
    }
    return false;
  }

  /** Height of the tree: for tests. */
  get height(): number {
    return heightOf(this.#root);
  }
}

function visitBelow<T>(node: Node<T> | undefined, point: string, visit: (value: T) => void): void {
  if (node === undefined || node.reach <= point) return;
  visitBelow(node.left, point, visit);
  if (node.from > point) return;
  if (point < node.to) for (const value of node.values) visit(value);
  visitBelow(node.right, point, visit);
}

/** Negative, zero or positive as (from, to) comes before, at or after the node's interval. */
function order<T>(from: string, to: string, node: Node<T>): number {
  if (from !== node.from) return from < node.from ? -1 : 1;
  return to === node.to ? 0 : to < node.to ? -1 : 1;
}

function find<T>(root: Node<T> | undefined, from: string, to: string): Node<T> | undefined {
  let node = root;
  while (node !== undefined) {
    const side = order(from, to, node);
    if (side === 0) return node;
    node = side < 0 ? node.left : node.right;
  }
  return undefined;
}

function added<T>(node: Node<T> | undefined, from: string, to: string, value: T): Node<T> {
  if (node === undefined) {
    const values = new Set([value]);
    return { from, to, values, left: undefined, right: undefined, height: 1, reach: to };
  }
  const side = order(from, to, node);
  if (side === 0) node.values.add(value);
  else if (side < 0) node.left = added(node.left, from, to, value);
  else node.right = added(node.right, from, to, value);
  return balanced(node);
}

function removed<T>(node: Node<T> | undefined, from: string, to: string): Node<T> | undefined {
  if (node === undefined) return undefined;
  const side = order(from, to, node);
  if (side === 0) return joined(node.left, node.right);
  if (side < 0) node.left = removed(node.left, from, to);
  else node.right = removed(node.right, from, to);
  return balanced(node);
}

/** One tree of two, everything left being before everything right. */
function joined<T>(left: Node<T> | undefined, right: Node<T> | undefined): Node<T> | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  const [first, rest] = withoutFirst(right);
  first.left = left;
  first.right = rest;
  return balanced(first);
}

function withoutFirst<T>(node: Node<T>): [first: Node<T>, rest: Node<T> | undefined] {
  if (node.left === undefined) return [node, node.right];
  const [first, rest] = withoutFirst(node.left);
  node.left = rest;
  return [first, balanced(node)];
}

function balanced<T>(node: Node<T>): Node<T> {
  const lean = heightOf(node.left) - heightOf(node.right);
  if (lean > 1) {
    if (leanOf(node.left!) < 0) node.left = rotatedLeft(node.left!);
    return rotatedRight(node);
  }
  if (lean < -1) {
    if (leanOf(node.right!) > 0) node.right = rotatedRight(node.right!);
    return rotatedLeft(node);
  }
  return measured(node);
}

function rotatedLeft<T>(node: Node<T>): Node<T> {
  const top = node.right!;
  node.right = top.left;
  top.left = measured(node);
  return measured(top);
}

function rotatedRight<T>(node: Node<T>): Node<T> {
  const top = node.left!;
  node.left = top.right;
  top.right = measured(node);
  return measured(top);
}

function measured<T>(node: Node<T>): Node<T> {
  const { left, right } = node;
  node.height = Math.max(heightOf(left), heightOf(right)) + 1;
  let reach = node.to;
  if (left !== undefined && left.reach > reach) reach = left.reach;
  if (right !== undefined && right.reach > reach) reach = right.reach;
  node.reach = reach;
  return node;
}

function heightOf<T>(node: Node<T> | undefined): number {
  return node === undefined ? 0 : node.height;
}

function leanOf<T>(node: Node<T>): number {
  return heightOf(node.left) - heightOf(node.right);
}
