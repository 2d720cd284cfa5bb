/** Whose token it is, from answers that lack what older or newer services do not say. */
import { describe, expect, it } from "vitest";
import type { CloudClient, Json } from "../../../src/api/types.ts";
import { probe } from "../../../src/core/account/probe.ts";

const profile = { uid: 7, username: "ada", restricted: false };
const account = { euuid: "A1", capabilities: ["Vlans", "Object Storage"] };
const grants = { global: { add_computes: true, add_domains: false, account_access: "read_only" } };

function clientOf(answers: Record<string, Json | undefined>): CloudClient {
  const get = (path: string) => Promise.resolve(answers[path]);
  return { get, scopes: () => ["*"] } as unknown as CloudClient;
}

const asked = (changes: Record<string, Json | undefined>) =>
  probe(
    clientOf({ "/profile": profile, "/account": account, ...changes }),
    { tokenSecretRef: { name: "cloud-token" } },
    "default",
  );

describe("an account is recognised", () => {
  it.each([
    { because: "as documented", answers: {}, identity: { uid: 7, euuid: "A1" } },
    { because: "euuid is null", answers: { "/account": { ...account, euuid: null } }, identity: { uid: 7 } },
    { because: "euuid is empty", answers: { "/account": { ...account, euuid: "" } }, identity: { uid: 7 } },
    { because: "there is no euuid", answers: { "/account": { capabilities: null } }, identity: { uid: 7 } },
    { because: "uid is a text", answers: { "/profile": { ...profile, uid: "7" } }, identity: { uid: 7, euuid: "A1" } },
  ])("where $because", async ({ answers, identity }) => {
    expect((await asked(answers)).identity).toEqual(identity);
  });
});

it("capabilities that are null, or no texts, are none", async () => {
  expect((await asked({ "/account": { ...account, capabilities: null } })).features).toEqual([]);
  expect((await asked({ "/account": { capabilities: ["Vlans", null, 7] } })).features).toEqual(["Vlans"]);
});

describe("a user of whom it is not said whether it is restricted", () => {
  it.each([{ restricted: null }, { restricted: undefined }])(
    "is not, where it has no grants: $restricted",
    async (said) => {
      const { uid, username } = profile;
      const user = { uid, username, ...(said.restricted === null && { restricted: null }) };
      expect(await asked({ "/profile": user })).toMatchObject({ restricted: false, grants: [] });
      expect(await asked({ "/profile": user, "/profile/grants": grants })).toMatchObject({
        restricted: true,
        grants: ["account_access:read_only", "add_computes"],
      });
    },
  );
});
