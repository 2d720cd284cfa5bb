import * as z from "zod";
import { classified } from "../../core/kind/leaf-class.ts";
import type { Json } from "../../api/types.ts";
import { Waiting } from "../../core/kind/outcome.ts";
import { orderedList, rule, secretKeyReference } from "../../core/kind/schema.ts";
import { defineSetting } from "../../core/kind/setting.ts";

const path = "/profile/security-questions";

const question = z.object({
  questionID: classified(z.int().min(1).max(1_000_000), { is: "catalog", of: "SecurityQuestion" }).describe(
    "Number of the question in the API's list.",
  ),
  answerSecretRef: secretKeyReference("Secret with the answer, 3 to 17 characters.", "answer"),
});

const questions = rule(
  orderedList(question, 3).min(3).describe("Three questions with answers. The operator removes all other answers."),
  {
    cel: "self.all(one, self.exists_one(other, other.questionID == one.questionID))",
    check: (list) => new Set(list.map(({ questionID }) => questionID)).size === list.length,
    message: "must be three different questions",
  },
);

type Questions = z.output<typeof questions>;

/** Part 1, section 2.5. */
const answer = {
  key: "answer",
  refuses: (text: string) => (/^[^\r\n]{3,17}$/.test(text) ? undefined : "must have 3 to 17 characters in one line"),
};

const answerField = (index: number): string => `questions[${index}].answerSecretRef`;

/** Security questions of the token's user: part 1, sections 2.5 and 4.2; not-shown, section 6. */
export const securityQuestions = defineSetting({
  kind: "SecurityQuestions",
  plural: "securityquestions",
  shortNames: ["cpsecq"],
  noun: "set of security questions",
  idInWords: "omitted",
  doc: "The security questions of the token's user, with answers from Secrets. Deleting the object does not change the answers.",
  columns: [{ name: "Answered", jsonPath: ".status.questionsAnswered", long: true }],
  spec: z.object({ questions }),
  status: z.object({
    questionsAnswered: z
      .array(z.string().max(256))
      .max(32)
      .meta({ listType: "atomic" })
      .describe("Questions with an answer.")
      .optional(),
  }),
  wire: z.object({
    security_questions: z.array(
      z.object({ id: z.int(), question: z.string().nullish(), response: z.string().nullish() }),
    ),
  }),
  references: {
    first: { secret: ({ questions: [one] }) => one?.answerSecretRef, specField: answerField(0), ...answer },
    second: { secret: ({ questions: [, one] }) => one?.answerSecretRef, specField: answerField(1), ...answer },
    third: { secret: ({ questions: [, , one] }) => one?.answerSecretRef, specField: answerField(2), ...answer },
  },
  listPath: () => path,
  shownAt: path,
  identify: () => "security-questions",
  ofUser: true,
  reach: "account",
  guardsAccess: true,
  exports: "the cloud API does not show the answers",
  fields: {
    security_questions: {
      specField: "questions",
      desired: ({ spec, refs }) => wanted(spec.questions, [refs.first, refs.second, refs.third]),
      observed: (wire) => answersIn(wire),
      sensitive: true,
    },
  },
  verbs: { update: (_live, body) => ({ method: "POST", path, body }) },
  report: ({ wire }) => ({
    questionsAnswered: wire.security_questions
      .filter(({ response }) => typeof response === "string")
      .map(({ id, question: text }) => (text ?? String(id)).slice(0, 256))
      .slice(0, 32),
  }),
  examples: [
    {
      name: "answers",
      doc: "Three questions, with all answers in one Secret.",
      spec: { questions: asked(1, 3, 5) },
      changes: { questions: { questions: asked(2, 3, 5) } },
      secrets: { "security-answers": { one: "Ankh-Morpork", two: "Unseen", three: "Gaspode" } },
    },
  ],
});

/** Returns the answers in the order of the API's list. The order in the spec has no meaning. */
function wanted(list: Questions, answers: (string | undefined)[]): Json {
  const given = list.map(({ questionID, answerSecretRef }, index) => {
    const response = answers[index];
    if (response !== undefined) return { question_id: questionID, response };
    const { name, key = "answer" } = answerSecretRef;
    throw new Waiting(
      "WaitingForSecret",
      `spec.questions[${index}].answerSecretRef: key ${key} of Secret ${name} does not exist. The questions are not answered. Store the answer under this key`,
    );
  });
  return given.toSorted((a, b) => a.question_id - b.question_id);
}

function answersIn(wire: { security_questions: { id: number; response?: string | null | undefined }[] }): Json {
  return wire.security_questions
    .filter(({ response }) => typeof response === "string")
    .map(({ id, response }) => ({ question_id: id, response: response ?? "" }))
    .toSorted((a, b) => a.question_id - b.question_id);
}

function asked(...ids: [number, number, number]) {
  const keys = ["one", "two", "three"];
  return ids.map((questionID, index) => {
    const answerSecretRef = { name: "security-answers", key: keys[index] ?? "" };
    return { questionID, answerSecretRef };
  });
}
