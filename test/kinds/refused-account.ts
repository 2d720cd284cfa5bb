/** Specs of the user's own things that are refused; see `refused.ts`. */
import type { Refused } from "./refused.ts";

const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJyb2FkLWV4YW1wbGU= ada@laptop";
const secret = { name: "answers" };
const asked = (...ids: number[]) => ids.map((questionID) => ({ questionID, answerSecretRef: secret }));

export const refusedAccount: Refused[] = [
  {
    kind: "Profile",
    because: "an email address has a domain",
    spec: { email: "ada@example" },
    says: "must be an email address",
  },
  {
    kind: "Profile",
    because: "a time zone is named, not counted",
    spec: { timezone: "+01:00" },
    says: "must be the name of a time zone",
  },
  {
    kind: "Profile",
    because: "the second factor is set up by a person, who would be locked out otherwise",
    spec: { twoFactorAuth: true },
    says: "can only be false",
  },
  {
    kind: "Profile",
    because: "the cloud cannot enable the list of addresses any more",
    spec: { ipWhitelistEnabled: true },
    says: "can only be false",
  },
  {
    kind: "Profile",
    because: "a key is not a file name",
    spec: { authorizedKeys: ["~/.ssh/id_ed25519.pub, as a file name"] },
    says: "must be a public key in OpenSSH form",
  },
  {
    kind: "Profile",
    because: "of one key twice the second says nothing",
    spec: { authorizedKeys: [key, key] },
    says: "uplicate",
  },
  {
    kind: "Profile",
    because: "the API has three ways to log in to the console",
    spec: { lishAuthMethod: "password" },
    says: "password_keys",
  },
  {
    kind: "ProfilePreferences",
    because: "preferences are an object",
    spec: { preferences: "dark" },
    says: "spec.preferences",
  },
  {
    kind: "ProfilePreferences",
    because: "a list has no names",
    spec: { preferences: ["dark"] },
    says: "spec.preferences",
  },
  { kind: "ProfilePreferences", because: "without preferences there is nothing to set", spec: {}, says: "preferences" },
  {
    kind: "SecurityQuestions",
    because: "the API wants exactly three answers",
    spec: { questions: asked(1, 2) },
    says: "spec.questions",
  },
  {
    kind: "SecurityQuestions",
    because: "a fourth answer is refused by the API",
    spec: { questions: asked(1, 2, 3, 4) },
    says: "spec.questions",
  },
  {
    kind: "SecurityQuestions",
    because: "one question is answered once",
    spec: { questions: asked(1, 2, 2) },
    says: "must be three different questions",
  },
  {
    kind: "SecurityQuestions",
    because: "questions are counted from one",
    spec: { questions: asked(0, 1, 2) },
    says: "questionID",
  },
  {
    kind: "SecurityQuestions",
    because: "an answer stands in a Secret, not in the spec",
    spec: { questions: [...asked(1, 2), { questionID: 3, answer: "Gaspode" }] },
    says: "answerSecretRef",
  },
];
