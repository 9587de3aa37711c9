/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trees in typed arrays, in preorder. The one of the file comes as a string: for each node how far to climb, the frame, its own
 * value (and the value before, in a difference), each a number in base 32. The others are made from it.
 */
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);

/* ---- trees ---- */

function allocate(n) {
  return {
    n, frame: new Int32Array(n), depth: new Int32Array(n), end: new Int32Array(n), parent: new Int32Array(n),
    self: new Float64Array(n), before: new Float64Array(n), total: new Float64Array(n), totalBefore: new Float64Array(n),
    start: new Float64Array(n), startBefore: new Float64Array(n), place: null,
  };
}

/* Where each box begins, by the sizes of one side. */
function place(tree, size, start) {
  const next = [];
  for (let i = 0; i < tree.n; i++) {
    const d = tree.depth[i], x = d ? next[d] : 0;
    start[i] = x;
    next[d] = x + size[i];
    next[d + 1] = x;
  }
}

/* Totals, ends and places of a tree whose frame, depth, parent, self and before are known. */
function complete(tree) {
  for (let i = 0; i < tree.n; i++) {
    tree.end[i] = i + 1;
    tree.total[i] = tree.self[i];
    if (data.diff) tree.totalBefore[i] = tree.before[i];
  }
  for (let i = tree.n - 1; i > 0; i--) {
    const p = tree.parent[i];
    tree.total[p] += tree.total[i];
    if (data.diff) tree.totalBefore[p] += tree.totalBefore[i];
    if (tree.end[i] > tree.end[p]) tree.end[p] = tree.end[i];
  }
  place(tree, tree.total, tree.start);
  if (data.diff) place(tree, tree.totalBefore, tree.startBefore);
  return tree;
}

/* Reads numbers one after the other: add_number() in C. */
function reader(text) {
  const digit = new Uint8Array(128), alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+-";
  let at = 0;
  for (let i = 0; i < 64; i++) digit[alphabet.charCodeAt(i)] = i;
  return () => {
    let value = 0, scale = 1;
    for (;;) {
      const d = digit[text.charCodeAt(at++)];
      value += (d & 31) * scale;
      if (d < 32) return value;
      scale *= 32;
    }
  };
}

function decode(text, n, diff) {
  const tree = allocate(n), path = [0], number = reader(text);
  let depth = -1;
  for (let i = 0; i < n; i++) {
    depth += 1 - number();
    tree.depth[i] = depth;
    tree.frame[i] = number();
    tree.self[i] = number();
    if (diff) tree.before[i] = number();
    tree.parent[i] = depth ? path[depth - 1] : 0;
    path[depth] = i;
  }
  return complete(tree);
}

/* Calls `visit` for a node and all below it, but for what stands on one for which it says no. */
function walk(root, visit, of) {
  const { end } = of || tree;
  for (let i = root; i < end[root];) i = visit(i) ? i + 1 : end[i];
}

/* ---- another tree of the same stacks ---- */

/* The shown frames of all stacks in one array, each stack root first or leaf first, after what it is grouped by. */
function collect(base, group, reverse) {
  const shown = new Uint8Array(data.names.length), grouped = group !== "none", path = [], merges = mergesLines();
  let n = 0, room = 0;
  for (let frame = 0; frame < shown.length; frame++) shown[frame] = isShown(frame) ? 1 : 0;
  for (let i = 0; i < base.n; i++) {
    if (!base.self[i] && !base.before[i]) continue;
    n++;
    room += base.depth[i];
  }
  const stacks = { n, node: new Int32Array(n), first: new Int32Array(n + 1), pool: new Int32Array(room) };
  for (let i = 0, k = 0, at = 0; i < base.n; i++) {
    const depth = base.depth[i];
    path[depth] = base.frame[i];
    if (!base.self[i] && !base.before[i]) continue;
    const ofProcess = depth > 0 && data.kinds[path[1]] === PROCESS, top = ofProcess ? 2 : 1;
    if (ofProcess && grouped) stacks.pool[at++] = rootOf(path[1], group);
    for (let d = top; d <= depth; d++) {
      const frame = path[reverse ? depth + top - d : d];
      if (shown[frame]) stacks.pool[at++] = merges ? functionOf[frame] : frame;
    }
    stacks.node[k++] = i;
    stacks.first[k] = at;
  }
  return stacks;
}

/* The stacks in the order of a tree. The tool has numbered the frames by name; roots that were made here come by name first. */
function sorted(stacks, grouped) {
  const order = new Int32Array(stacks.n), buckets = new Map();
  let at = 0;
  if (!grouped) {
    for (let k = 0; k < stacks.n; k++) order[k] = k;
    sortStacks(stacks, order, 0, stacks.n, 0);
    return order;
  }
  for (let k = 0; k < stacks.n; k++) {
    const root = stacks.first[k] < stacks.first[k + 1] ? stacks.pool[stacks.first[k]] : 0;
    if (!buckets.has(root)) buckets.set(root, []);
    buckets.get(root).push(k);
  }
  const name = (root) => data.names[root];
  for (const root of [...buckets.keys()].sort((a, b) => (name(a) < name(b) ? -1 : name(a) > name(b) ? 1 : a - b))) {
    const bucket = buckets.get(root), begin = at;
    for (const k of bucket) order[at++] = k;
    sortStacks(stacks, order, begin, at, 1);
  }
  return order;
}

/* Quicksort by one frame after the other; what is equal up to `depth` is sorted by the next. */
function sortStacks({ first, pool }, order, from, to, depth) {
  const todo = [from, to, depth];
  while (todo.length) {
    const d = todo.pop(), high = todo.pop(), low = todo.pop();
    const key = (i) => {
      const at = first[order[i]] + d;
      return at < first[order[i] + 1] ? pool[at] : -1;
    };
    const swap = (a, b) => {
      const kept = order[a];
      order[a] = order[b];
      order[b] = kept;
    };
    if (high - low < 2) continue;
    const a = key(low), b = key((low + high) >> 1), c = key(high - 1);
    const pivot = Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
    let less = low, more = high;
    for (let i = low; i < more;) {
      const one = key(i);
      if (one < pivot) swap(less++, i++);
      else if (one > pivot) swap(i, --more);
      else i++;
    }
    todo.push(low, less, d, more, high, d);
    if (pivot >= 0) todo.push(less, more, d + 1);
  }
}

/* How many frames each stack has in common with the one before it. */
function commons({ first, pool, n }, order) {
  const common = new Int32Array(n);
  for (let k = 1; k < n; k++) {
    const a = first[order[k - 1]], b = first[order[k]];
    const most = Math.min(first[order[k - 1] + 1] - a, first[order[k] + 1] - b);
    while (common[k] < most && pool[a + common[k]] === pool[b + common[k]]) common[k]++;
  }
  return common;
}

/*
 * The tree once more with other roots, with the leaves first, or without some frames. tree.place has where the stacks of the
 * nodes of `base` went.
 */
function rebuild(base, group, reverse) {
  const stacks = collect(base, group, reverse), { first, pool, node } = stacks;
  const order = sorted(stacks, group !== "none"), common = commons(stacks, order), path = [0];
  let n = 1;
  for (let k = 0; k < stacks.n; k++) n += first[order[k] + 1] - first[order[k]] - common[k];
  const tree = allocate(n), of = new Int32Array(base.n);
  tree.frame[0] = base.frame[0];
  for (let k = 0, at = 1; k < stacks.n; k++) {
    const stack = order[k], depth = first[stack + 1] - first[stack];
    for (let d = common[k]; d < depth; d++, at++) {
      tree.frame[at] = pool[first[stack] + d];
      tree.depth[at] = d + 1;
      tree.parent[at] = path[d];
      path[d + 1] = at;
    }
    tree.self[path[depth]] += base.self[node[stack]];
    tree.before[path[depth]] += base.before[node[stack]];
    of[node[stack]] = path[depth];
  }
  tree.place = of;
  complete(tree);
  return $("weight").checked ? widestFirst(tree) : tree;
}

/* The same tree with the widest siblings first. */
function widestFirst(from) {
  const tree = allocate(from.n), at = new Int32Array(from.n), todo = [0];
  const weight = (i) => from.total[i] + from.totalBefore[i];
  for (let position = 0; todo.length; position++) {
    const i = todo.pop(), begin = todo.length;
    at[i] = position;
    tree.frame[position] = from.frame[i];
    tree.depth[position] = from.depth[i];
    tree.self[position] = from.self[i];
    tree.before[position] = from.before[i];
    tree.parent[position] = at[from.parent[i]];
    for (let child = i + 1; child < from.end[i]; child = from.end[child]) todo.push(child);
    if (todo.length - begin < 2) continue;
    const children = todo.splice(begin).sort((a, b) => weight(a) - weight(b) || b - a);
    for (const child of children) todo.push(child);
  }
  tree.place = from.place.map((i) => at[i]);
  return complete(tree);
}
