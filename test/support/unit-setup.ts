/** Fails a unit test whose world wrote a message with a fault. */
import { afterEach, expect } from "vitest";
import { takeFaults } from "../world/message-rules.ts";

afterEach(() => {
  expect(takeFaults()).toEqual([]);
});
