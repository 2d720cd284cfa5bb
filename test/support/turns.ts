/** How many turns of the event loop others had while this was done. */
export async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let working = true;
  const turn = (): void => {
    turns += 1;
    if (working) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  working = false;
  return turns;
}
