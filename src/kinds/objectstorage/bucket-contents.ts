/** Empties a bucket before its deletion: part 3, section 4.1; not-shown, section 5. */
import * as z from "zod";
import type { ReleaseTools } from "../../core/kind/call.ts";
import { Waiting } from "../../core/kind/outcome.ts";

/** Pages of a round, and parallel requests. The next round continues, so no round takes long. */
const pagesOfRound = 4;
const atOnce = 10;

const page = z.object({
  data: z.array(z.object({ name: z.string() })),
  next_marker: z.string().nullish(),
  is_truncated: z.boolean().nullish(),
});

/** Throws `Waiting` while the bucket contains objects. With `force`, first removes some of the objects. */
export async function emptyBucket(path: string, force: boolean, tools: ReleaseTools): Promise<void> {
  let marker: string | undefined;
  let removed = 0;
  for (let round = 0; round < pagesOfRound; round += 1) {
    const { data, next_marker: next } = await readPage(path, marker, tools);
    if (data.length === 0) break;
    if (!force)
      throw new Waiting(
        "WaitingForDependents",
        "the bucket is not empty: remove its objects, or set spec.forceEmpty",
        60_000,
      );
    await removeObjects(
      path,
      data.map(({ name }) => name),
      tools,
    );
    removed += data.length;
    if (!next) break;
    marker = next;
  }
  // After a removal, the operator lists again: only a list without objects proves that the bucket is empty.
  if (removed > 0) throw new Waiting("Deleting", "the bucket is being emptied", 1_000);
}

async function readPage(
  path: string,
  marker: string | undefined,
  { get }: ReleaseTools,
): Promise<z.output<typeof page>> {
  const query = new URLSearchParams({ page_size: "100", ...(marker !== undefined && { marker }) });
  return page.parse(await get(`${path}/object-list?${query.toString()}`));
}

async function removeObjects(path: string, names: string[], tools: ReleaseTools): Promise<void> {
  for (let first = 0; first < names.length; first += atOnce) {
    const some = names.slice(first, first + atOnce);
    // Waits for every request, so no request continues after the end of the reconcile.
    const ends = await Promise.allSettled(some.map((name) => removeObject(path, name, tools)));
    const failed = ends.find((end) => end.status === "rejected");
    if (failed) throw failed.reason;
  }
}

/** Removes an object in two steps: see `delivery` of the kind. */
async function removeObject(path: string, name: string, { send }: ReleaseTools): Promise<void> {
  await send({
    method: "POST",
    path: `${path}/object-url`,
    body: { method: "DELETE", name, expires_in: 360 },
    action: "EmptyBucket",
    note: `object ${name} removed`,
  });
}
