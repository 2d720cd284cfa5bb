/** A row with a position. */
export interface Placed {
  /** Position in the shelf. Newer rows have higher numbers. */
  readonly order: number;
  readonly row: object;
}

/**
 * Rows in the order of creation, even if an old row is added later.
 * A change takes logarithmic time. The next read closes the gaps of removed rows and sorts added rows.
 */
export interface OrderedRows {
  /** Adds a row, or replaces the row with the same position. */
  put(entry: Placed): void;
  remove(order: number): void;
  size(): number;
  /** Returns the live list. The next change modifies the list. */
  rows(): readonly object[];
}

/** Fewer gaps wait for the next read. */
const FEW = 32;

export function createOrderedRows(): OrderedRows {
  let placed: Places = { orders: [], rows: [] };
  let gaps = 0;
  const late = new Map<number, object>();
  const tidy = (): void => {
    if (gaps === 0 && late.size === 0) return;
    placed = tidied(placed, late);
    gaps = 0;
    late.clear();
  };
  return {
    put({ order, row }) {
      const { orders, rows } = placed;
      const place = placeOf(orders, order);
      if (place === orders.length) {
        orders.push(order);
        rows.push(row);
      } else if (orders[place] !== order) late.set(order, row);
      else {
        if (rows[place] === undefined) gaps -= 1;
        rows[place] = row;
      }
    },
    remove(order) {
      if (late.delete(order)) return;
      const { orders, rows } = placed;
      const place = placeOf(orders, order);
      if (orders[place] !== order || rows[place] === undefined) return;
      rows[place] = undefined;
      gaps += 1;
      if (gaps > FEW && gaps > rows.length / 2) tidy();
    },
    size: () => placed.rows.length - gaps + late.size,
    rows() {
      tidy();
      return placed.rows as object[];
    },
  };
}

/** Rows by position, lowest first. A removed row is undefined. */
interface Places {
  readonly orders: number[];
  readonly rows: (object | undefined)[];
}

function tidied({ orders, rows }: Places, late: ReadonlyMap<number, object>): Places {
  const added = [...late].toSorted(([left], [right]) => left - right);
  const all: Places = { orders: [], rows: [] };
  const take = (order: number, row: object): void => {
    all.orders.push(order);
    all.rows.push(row);
  };
  let next = 0;
  for (const [place, order] of orders.entries()) {
    for (let entry = added[next]; entry && entry[0] < order; entry = added[next]) {
      take(...entry);
      next += 1;
    }
    const row = rows[place];
    if (row !== undefined) take(order, row);
  }
  for (const entry of added.slice(next)) take(...entry);
  return all;
}

/** Returns the index of this position, or of the next higher position. */
function placeOf(orders: readonly number[], order: number): number {
  const last = orders.at(-1);
  if (last === undefined || last < order) return orders.length;
  let [from, to] = [0, orders.length - 1];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((orders[middle] ?? 0) < order) from = middle + 1;
    else to = middle;
  }
  return from;
}
