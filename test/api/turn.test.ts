import { expect, it } from "vitest";
import { clientFor, failureOf, json, settled, startServer } from "./server.ts";

it("a request does not leave where what it is based on has changed by the time that there is room for it", async () => {
  const server = await startServer(json(429, {}, { "retry-after": "1" }), json(200, {}));
  const { client, clock } = clientFor(server.url);
  let turns = 0;
  const onTurn = () => {
    turns += 1;
    return turns > 1 ? Promise.reject(new Error("it was replaced")) : Promise.resolve();
  };
  const failure = await failureOf(settled(clock, client.send("PUT", "/domains/1", {}, { onTurn })));
  expect(failure).toMatchObject({ outcome: "refused", cause: { message: "it was replaced" } });
  expect(server.received).toHaveLength(1);
});
