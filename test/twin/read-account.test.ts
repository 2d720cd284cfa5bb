import { expect, it } from "vitest";
import { readAccount } from "../../src/twin/read-account.ts";
import { fill, openAccount } from "./accounts.ts";

it("a copy of an account shows the same lists as the account", async () => {
  const account = await openAccount();
  await fill(account, 3);
  const first = await readAccount(account.client);
  expect(first.failed).toEqual([]);
  const again = await openAccount(first);
  await again.clock.step(account.clock.now());
  const second = await readAccount(again.client);
  for (const [index, read] of first.reads.entries()) expect(second.reads[index]).toEqual(read);
  expect(second.reads).toHaveLength(first.reads.length);
});
