/**
 * How many answers are asked for at a time, over connections that they share: single objects, and lists of one namespace;
 * and lists that may be long, each of which a server makes in its memory. More would crowd its fair queue.
 */
export const atOnce = { short: 16, long: 6 };

/** Runs `work` on every item, `limit` at a time; results in the items' order. The first failure ends it. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = new Array(items.length);
  // Shared by all workers: each takes the next one, and a loop that throws closes it for all.
  const left = eachOf(items);
  const worker = async (): Promise<void> => {
    for (const [index, item] of left) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return results;
}

function* eachOf<Item>(items: readonly Item[]) {
  yield* items.entries();
}
